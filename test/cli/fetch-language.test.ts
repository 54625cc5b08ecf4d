import { afterAll, describe, expect, test } from 'bun:test'

import { openWorkspace } from '../executable.ts'

let requests = 0
const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ headers }) {
    requests++
    return new Response(`<title>${headers.get('accept-language')}</title>`, {
      headers: { 'content-type': 'text/html' },
    })
  },
})
afterAll(() => origin.stop(true))

const url = `http://127.0.0.1:${origin.port}/`
const env = { URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}` }
const titlesIn = (ndjson: string) =>
  ndjson
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { title: string }).title)

describe('urlmeta fetch --language', () => {
  test.each([
    ['is sent to the site', ['--language', 'de-CH,de;q=0.9'], {}, 'de-CH,de;q=0.9'],
    ['is sent as it is written', ['--language=FR, *;q=0.1'], {}, 'FR, *;q=0.1'],
    ['takes precedence over the variable', ['--language', 'it'], { URLMETA_ACCEPT_LANGUAGE: 'pt-BR' }, 'it'],
    ['is the variable if it is missing', [], { URLMETA_ACCEPT_LANGUAGE: 'pt-BR' }, 'pt-BR'],
    ['has a default', [], {}, 'en-US,en;q=0.9,*;q=0.5'],
  ])('%s', async (_, args, settings, expected) => {
    await using place = openWorkspace()
    const { code, stdout, stderr } = await place.run(['fetch', ...args, url], { ...env, ...settings })
    expect([code, stderr, (JSON.parse(stdout) as { title: string }).title]).toEqual([0, '', expected])
  })

  test('applies to all URLs of a list', async () => {
    await using place = openWorkspace()
    const args = ['fetch', '--language', 'ja', '--file', '-', url]
    const { code, stdout } = await place.run(args, env, `${url}a\n${url}b\n`)
    expect([code, titlesIn(stdout)]).toEqual([0, ['ja', 'ja', 'ja']])
  })

  test.each([
    ['an underscore', 'de_CH'],
    ['nothing', ''],
    ['another header', 'de\r\nCookie: a=b'],
    ['101 characters', `de${',de'.repeat(33)}`],
  ])('with %s is incorrect usage, and nothing is fetched', async (_, language) => {
    await using place = openWorkspace()
    const earlier = requests
    const { code, stdout, stderr } = await place.run(['fetch', '--language', language, url], env)
    expect([code, stdout, requests - earlier]).toEqual([2, '', 0])
    expect(stderr).toContain('Must be an Accept-Language value of at most 100 characters.')
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
