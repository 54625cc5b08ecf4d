import { describe, expect, test } from 'bun:test'

import type { RenderedHosts } from '../../src/core/fetch/render-history.ts'
import { MAX_RENDERED_HOSTS } from '../../src/core/limits.ts'
import type { Open } from './open.ts'

const at = (host: string, confirmedAtMs: number) => ({ host, confirmedAtMs })

/** The contract of every implementation of `RenderedHosts`. */
export const renderedHostsContract = (name: string, open: Open<{ renderedHosts: RenderedHosts }>) =>
  describe(`RenderedHosts: ${name}`, () => {
    async function openWith(...hosts: [host: string, confirmedAtMs: number][]) {
      const store = await open()
      for (const [host, confirmedAtMs] of hosts) await store.renderedHosts.put({ host, confirmedAtMs })
      return store
    }

    test('lists the most recently confirmed host first', async () => {
      await using store = await openWith(['b.test', 2], ['c.test:8080', 3], ['a.test', 1])
      expect(await store.renderedHosts.list()).toEqual([at('c.test:8080', 3), at('b.test', 2), at('a.test', 1)])
    })

    test('putting a host again updates its time', async () => {
      await using store = await openWith(['a.test', 1], ['b.test', 2], ['a.test', 3])
      expect(await store.renderedHosts.list()).toEqual([at('a.test', 3), at('b.test', 2)])
    })

    test('delete deletes one host', async () => {
      await using store = await openWith(['a.test', 1], ['b.test', 2])
      await store.renderedHosts.delete('a.test')
      await store.renderedHosts.delete('unknown.test')
      expect(await store.renderedHosts.list()).toEqual([at('b.test', 2)])
    })

    test('the least recently confirmed hosts are deleted when there are too many', async () => {
      await using store = await open()
      const hosts = Array.from({ length: MAX_RENDERED_HOSTS }, (_, i) => at(`${i}.test`, i))
      await Promise.all(hosts.map((host) => store.renderedHosts.put(host)))
      expect(await store.renderedHosts.list()).toEqual(hosts.toReversed())
      await store.renderedHosts.put(at('later.test', MAX_RENDERED_HOSTS))
      await store.renderedHosts.put(at('latest.test', MAX_RENDERED_HOSTS + 1))
      const [latest, later, ...others] = await store.renderedHosts.list()
      expect([latest?.host, later?.host]).toEqual(['latest.test', 'later.test'])
      expect(others).toEqual(hosts.slice(2).toReversed())
    })

    test('sweep deletes older hosts, and those dated in the future', async () => {
      await using store = await openWith(['old.test', 9], ['border.test', 10], ['limit.test', 20], ['future.test', 21])
      expect(await store.renderedHosts.sweep(10, 20)).toBe(2)
      expect(await store.renderedHosts.list()).toEqual([at('limit.test', 20), at('border.test', 10)])
      expect(await store.renderedHosts.sweep(10, 20)).toBe(0)
    })
  })
