import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openWorkspace } from '../executable.ts'
import { html, json, openSites, type Sites } from './sites.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const PAGE = 'https://www.reddit.com/r/pics/comments/92dd8/test_post_please_ignore/'

let sites: Sites
beforeAll(async () => {
  sites = await openSites(['www.reddit.com'], (_, { pathname }) =>
    pathname === '/oembed'
      ? json({ title: 'test post please ignore', author_name: 'qgyh2', provider_name: 'reddit' })
      : html('<h1>blocked by network security</h1>', 403),
  )
}, PATIENT_TEST_MS)
afterAll(() => sites[Symbol.asyncDispose]())

/** Runs `urlmeta fetch` with the certificate authority of the doubles. */
async function fetched(args: string[], env: Record<string, string> = {}) {
  await using place = openWorkspace()
  const authority = join(place.dir, 'authority.pem')
  writeFileSync(authority, sites.authority)
  return await place.run(['fetch', ...args, PAGE], { ...sites.env, NODE_EXTRA_CA_CERTS: authority, ...env })
}

test('the executable requests the endpoint of a provider if the page is refused', async () => {
  const { code, stdout } = await fetched([])
  expect(JSON.parse(stdout)).toMatchObject({
    title: 'test post please ignore',
    site_name: 'reddit',
    meta: { author: 'qgyh2' },
    fetch_method: 'http',
  })
  expect(code).toBe(0)
})

test('--explain lists the request and the sources', async () => {
  const { stdout } = await fetched(['--explain'])
  expect(stdout).toContain('https://www.reddit.com/oembed?url=https%3A%2F%2Fwww.reddit.com%2Fr%2Fpics')
  expect(stdout).toContain('(oembed)')
  expect(stdout).toContain('test post please ignore  ← oembed title')
  expect(stdout).toContain('http: The oEmbed endpoint of the site has the metadata that the page lacks.')
})

test('URLMETA_OEMBED=off sends no oEmbed request', async () => {
  const earlier = sites.requests.length
  const { code, stdout } = await fetched([], { URLMETA_OEMBED: 'off' })
  expect(sites.requests.slice(earlier)).not.toBeEmpty()
  expect(sites.requests.slice(earlier).filter((path) => path.includes('/oembed'))).toEqual([])
  expect(JSON.parse(stdout)).toEqual({ url: PAGE, error: expect.stringContaining('Failed to fetch URL: ') })
  expect(code).toBe(1)
})
