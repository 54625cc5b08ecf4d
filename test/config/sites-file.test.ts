import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { parseConfig } from '../../src/config.ts'
import { parseSites, readSitesFile } from '../../src/config/sites-file.ts'

const HOST = { hosts: ['a.test'] }

describe('accepted', () => {
  test.each<[name: string, json: unknown, rules: unknown]>([
    ['no rules', [], []],
    ['only hosts', [HOST], [HOST]],
    [
      'hosts in capitals, with a dot and of other scripts',
      [{ hosts: ['A.Test.', '*.Bücher.test'] }],
      [{ hosts: ['a.test', '*.xn--bcher-kva.test'] }],
    ],
    ['an address', [{ hosts: ['127.0.0.1'] }], [{ hosts: ['127.0.0.1'] }]],
    [
      'a proxy',
      [{ ...HOST, egressProxy: 'http://user:p%40ss@proxy.test:3128' }],
      [
        {
          ...HOST,
          egressProxy: {
            protocol: 'http',
            host: 'proxy.test',
            port: 3128,
            credentials: { user: 'user', password: 'p@ss' },
          },
        },
      ],
    ],
    ...[
      { egressProxy: 'direct' },
      { headers: { Authorization: 'Bearer x y', 'X-Empty': '' } },
      { cookies: { session: 'abc=def' } },
      { cookies: { session: 'abc' }, insecure: true },
      { headers: { A: '1' }, insecure: false },
      { userAgent: 'Mine/1.0' },
      { render: 'always' },
      { render: 'never' },
      { read: 'head' },
      { read: 'whole' },
      { oembed: 'off' },
      { oembed: 'https://a.test/oembed' },
      { walls: { titles: ['A'], challengeTitles: ['B'], challengeStatuses: [200, 999], challengePaths: ['/c'] } },
    ].map((part): [string, unknown, unknown] => [JSON.stringify(part), [{ ...HOST, ...part }], [{ ...HOST, ...part }]]),
  ])('%s', (_, json, rules) => expect(parseSites(json)).toEqual({ rules } as never))
})

describe('every problem is reported with its place, without the value', () => {
  const HOSTS = 'expected a host name such as example.com, or *.example.com, without a port'
  const ASCII = 'expected visible ASCII characters'
  const ENDPOINT = '[0].oembed: expected off or an https URL without a user name and password'
  test.each<[name: string, json: unknown, errors: string[]]>([
    ['an object', { hosts: ['a.test'] }, ['expected an array of rules']],
    ['a string instead of a rule', ['a.test'], ['[0]: expected an object']],
    ['null instead of a rule', [HOST, null], ['[1]: expected an object']],
    ['no hosts', [{ render: 'never' }], ['[0].hosts: is missing']],
    ['an empty list of hosts', [{ hosts: [] }], ['[0].hosts: expected a non-empty array']],
    ['a string instead of a list of hosts', [{ hosts: 'a.test' }], ['[0].hosts: expected a non-empty array']],
    ...['https://a.test', 'a.test:80', 'a.test/b', '*', '*.', 'a.*', '', 'a b', 'a\\b', '.', '*..', 1].map(
      (host): [string, unknown, string[]] => [
        `the host ${host}`,
        [{ hosts: ['b.test', host] }],
        [`[0].hosts[1]: ${HOSTS}`],
      ],
    ),
    [
      'an unknown field',
      [{ ...HOST, header: {} }],
      [
        '[0].header: unknown, expected hosts, userAgent, language, headers, cookies, insecure, walls, oembed, render, read, egressProxy',
      ],
    ],
    [
      'a field of all objects',
      [{ ...HOST, constructor: 1 }],
      [
        '[0].constructor: unknown, expected hosts, userAgent, language, headers, cookies, insecure, walls, oembed, render, read, egressProxy',
      ],
    ],
    [
      'another word',
      [{ ...HOST, render: 'maybe', read: 1, insecure: 'yes' }],
      [
        '[0].render: expected always or never',
        '[0].read: expected head or whole',
        '[0].insecure: expected true or false',
      ],
    ],
    [
      'a long User-Agent',
      [{ ...HOST, userAgent: 'x'.repeat(513) }],
      ['[0].userAgent: expected at most 512 printable ASCII characters'],
    ],
    ['a header with a line break', [{ ...HOST, headers: { A: 's3cret\r\nB: 1' } }], [`[0].headers["A"]: ${ASCII}`]],
    ['a header that is a number', [{ ...HOST, headers: { A: 1 } }], [`[0].headers["A"]: ${ASCII}`]],
    [
      'a header with a bad name',
      [{ ...HOST, headers: { 'A:': 'x' } }],
      ['[0].headers["A:"]: expected a name of letters, digits and hyphens'],
    ],
    ...['Host', 'content-length', 'Cookie', 'User-Agent', 'Transfer-Encoding', 'Trailer', 'Expect'].map(
      (name): [string, unknown, string[]] => [
        `the header ${name}`,
        [{ ...HOST, headers: { [name]: 'x' } }],
        [`[0].headers["${name}"]: cannot be set here`],
      ],
    ),
    ['a list of headers', [{ ...HOST, headers: ['A: 1'] }], ['[0].headers: expected an object']],
    ['a cookie with a semicolon', [{ ...HOST, cookies: { a: 's3cret; b=1' } }], [`[0].cookies["a"]: ${ASCII}`]],
    [
      'another proxy',
      [{ ...HOST, egressProxy: 'ftp://user:s3cret@p' }],
      ['[0].egressProxy: expected direct, or http://, https:// or socks5://[user:password@]host:port'],
    ],
    ['an oEmbed endpoint over http', [{ ...HOST, oembed: 'http://a.test' }], [ENDPOINT]],
    ['an oEmbed endpoint with a password', [{ ...HOST, oembed: 'https://user:s3cret@a.test/oembed' }], [ENDPOINT]],
    ['an oEmbed endpoint with only a password', [{ ...HOST, oembed: 'https://:s3cret@a.test/oembed' }], [ENDPOINT]],
    ['an oEmbed endpoint with only a user name', [{ ...HOST, oembed: 'https://s3cret@a.test/oembed' }], [ENDPOINT]],
    [
      'a long header and cookie',
      [{ ...HOST, headers: { A: 'x'.repeat(4_096) }, cookies: { session: 'x'.repeat(4_090) } }],
      [
        '[0].headers["A"]: expected at most 4096 characters',
        '[0].cookies["session"]: expected at most 4096 characters',
      ],
    ],
    [
      'errors in several places',
      [{ ...HOST, walls: { titles: [''], challengeStatuses: [199, 1000, 200.5], challengePaths: ['a'] } }, {}],
      [
        '[0].walls.titles[0]: expected a non-empty string',
        ...[0, 1, 2].map((i) => `[0].walls.challengeStatuses[${i}]: expected a status from 200 to 999`),
        '[0].walls.challengePaths[0]: expected a path that begins with /',
        '[1].hosts: is missing',
      ],
    ],
    [
      'a language',
      [{ ...HOST, language: 'de_CH' }],
      ['[0].language: expected an Accept-Language value of at most 100 characters'],
    ],
    ['too many rules', Array.from({ length: 1_001 }, () => HOST), ['expected at most 1000 rules']],
  ])('%s', (_, json, errors) => {
    const parsed = parseSites(json)
    expect(parsed).toEqual({ errors } as never)
    expect(JSON.stringify(parsed)).not.toContain('s3cret')
  })
})

describe('the file', () => {
  function withFile<T>(content: string | Uint8Array, use: (path: string) => T): T {
    const dir = mkdtempSync(join(tmpdir(), 'urlmeta-sites-'))
    try {
      const path = join(dir, 'sites.json')
      writeFileSync(path, content)
      return use(path)
    } finally {
      rmSync(dir, { recursive: true })
    }
  }

  test.each<[name: string, content: string | Uint8Array, error: string]>([
    ['invalid JSON', '[{"headers": {"A": "s3cret"', 'is not valid JSON'],
    ['empty', '', 'is not valid JSON'],
    ['not UTF-8', Uint8Array.of(0x5b, 0xff, 0x5d), 'is not UTF-8'],
    ['too large', ' '.repeat(1024 * 1024 + 1), 'is larger than 1048576 bytes'],
  ])('%s', (_, content, error) => expect(withFile(content, readSitesFile)).toEqual({ errors: [error] }))

  test('that is missing', () =>
    expect(readSitesFile('/nonexistent/sites.json')).toEqual({ errors: ['cannot be read (ENOENT)'] }))
  test('that is a FIFO', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'urlmeta-sites-')), 'fifo')
    Bun.spawnSync(['mkfifo', path])
    expect(readSitesFile(path)).toEqual({ errors: ['is a FIFO, expected a file'] })
    rmSync(dirname(path), { recursive: true })
  })
  test('that is a directory', () =>
    expect(readSitesFile(tmpdir())).toEqual({ errors: ['is a directory, expected a file'] }))

  const RULES = [
    {
      hosts: ['a.test'],
      headers: { Authorization: 's3cret' },
      cookies: { session: 's3cret' },
      egressProxy: 'http://user:s3cret@proxy.test:3128',
      render: 'never',
    },
  ]

  test('has its secrets masked by `urlmeta config`', () => {
    const parsed = withFile(JSON.stringify(RULES), (path) => parseConfig({ URLMETA_SITES: path }))
    if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
    expect(parsed.config.live.sites[0]?.headers).toEqual({ Authorization: 's3cret' })
    expect(JSON.stringify(parsed.variables)).not.toContain('s3cret')
    expect(parsed.variables.find(({ name }) => name === 'URLMETA_SITES')?.detail).toEqual([
      {
        hosts: ['a.test'],
        headers: { Authorization: '••••' },
        cookies: { session: '••••' },
        egressProxy: 'http://••••@proxy.test:3128',
        render: 'never',
      },
    ])
  })

  test('prevents the start if it is invalid, and every problem is reported', () => {
    const errors = withFile('[{}, {"hosts": ["a.test"], "render": 1}]', (path) => {
      const parsed = parseConfig({ URLMETA_SITES: path })
      return 'errors' in parsed ? parsed.errors.map((error) => error.replace(path, 'sites.json')) : []
    })
    expect(errors).toEqual([
      'URLMETA_SITES: sites.json: [0].hosts: is missing',
      'URLMETA_SITES: sites.json: [1].render: expected always or never',
    ])
  })
})
