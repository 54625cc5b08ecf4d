import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openWorkspace, type Finished } from '../executable.ts'
import { PATIENT_TEST_MS } from '../patience.ts'
import { page, until } from '../site.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const IMAGE = readFileSync(join(import.meta.dir, '../../views/social-image.png'))

/** The public address of the pages. */
const PUBLIC = 'https://www.lights.example'

/** A page without anything to improve when it is at its public address, with other values of some tags. */
function lights(path: string, changes: Record<string, string> = {}): string {
  const tags = {
    'og:title': 'Northern lights',
    'og:description': 'Where to see them.',
    'og:type': 'article',
    'og:site_name': 'Lights',
    'og:url': PUBLIC + path,
    'og:image': `${PUBLIC}/image.png`,
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': 'A green sky',
    'twitter:card': 'summary_large_image',
    ...changes,
  }
  const metas = Object.entries(tags).map(([name, value]) => `<meta property="${name}" content="${value}">`)
  return `<!doctype html><meta charset="utf-8"><title>Northern lights</title><meta name="description" content="Where to see them.">
    <link rel="canonical" href="${PUBLIC}${path}">${metas.join('')}`
}

const urlset = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${PUBLIC}${path}</loc></url>`).join('')}</urlset>`

let running = 0
let mostRunning = 0
let imageRequests = 0

const RESPONSES: Record<string, () => Response | Promise<Response>> = {
  '/': () => page(200, lights('/')),
  '/image.png': () => (imageRequests++, new Response(IMAGE, { headers: { 'content-type': 'image/png' } })),
  '/long': () => page(200, lights('/long', { 'og:title': 'x'.repeat(80) })),
  '/card': () => page(200, lights('/card', { 'twitter:card': 'large' })),
  '/no-image': () => page(200, lights('/no-image', { 'og:image': `${PUBLIC}/gone.png` })),
  '/local-image': () => page(200, lights('/local-image', { 'og:image': `http://127.0.0.1:${origin.port}/image.png` })),
  '/forged': () => page(200, lights('/forged', { 'og:url': 'a%0A::error::b, "<c>"\u0085' })),
  '/data.json': () => Response.json({}),
  '/sitemap.xml': () => new Response(urlset('/', '/long', '/')),
  '/index.xml': () =>
    new Response(`<sitemapindex><sitemap><loc>${PUBLIC}/pages.xml.gz</loc></sitemap>
      <sitemap><loc>${PUBLIC}/sitemap.xml</loc></sitemap></sitemapindex>`),
  '/pages.xml.gz': () => new Response(Bun.gzipSync(urlset('/card'))),
  '/empty.xml': () => new Response(urlset()),
  '/no-sitemap.xml': () => page(200, '<title>Welcome</title>'),
  '/bad.xml.gz': () => new Response(new Uint8Array([0x1f, 0x8b, 1, 2, 3])),
  '/broken-index.xml': () => new Response('<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>'),
  '/many.xml': () => new Response(urlset(...Array.from({ length: 40 }, (_, n) => `/slow/${n}`))),
  '/moved': () => Response.redirect(`${PUBLIC}/`, 301),
  '/moved-here': () => Response.redirect(urlOf('/'), 301),
  '/icon': () => page(200, `${lights('/icon')}<link rel="icon" href="/image.png">`),
  '/other-hosts.xml': () =>
    new Response(`<urlset>${urlset('/missing')}<loc>http://127.0.0.1:1/</loc><loc>${urlOf('/gone')}</loc>
      <loc>https://10.0.0.1/\n${urlOf('/')}</loc><loc>#\n${urlOf('/')}</loc>`),
  '/hanging': () => new Promise<Response>(() => {}),
}

const origin = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch({ url }) {
    const { pathname } = new URL(url)
    if (!pathname.startsWith('/slow/')) return RESPONSES[pathname]?.() ?? page(404)
    mostRunning = Math.max(mostRunning, ++running)
    // The other pages of the host arrive while this one is in progress, if they are not held back.
    await Bun.sleep(20)
    running--
    return page(200, lights(pathname))
  },
})
afterAll(() => origin.stop(true))

const urlOf = (path: string) => `http://127.0.0.1:${origin.port}${path}`

const place = openWorkspace()
afterAll(() => place[Symbol.asyncDispose]())

/** Checks pages as they will be at their public address. */
const check = (paths: readonly string[], ...options: string[]): Promise<Finished> =>
  place.run(['check', '--allow-private', '--published-at', PUBLIC, ...paths.map(urlOf), ...options])

interface Line {
  url: string
  error?: string
  apps: { id: string; state: string; text: string }[]
  findings: { severity: string; subject: string; reason: string; fix: string; apps: string[] }[]
}
const linesOf = ({ stdout }: Finished) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

describe('the exit code of urlmeta check', () => {
  test.each<[name: string, paths: string[], options: string[], code: number]>([
    ['no problems', ['/'], [], 0],
    ['a warning', ['/long'], [], 1],
    ['an error', ['/card'], [], 1],
    ['an image that is missing', ['/no-image'], [], 1],
    ['as many problems as allowed', ['/long', '/card'], ['--max-problems', '3'], 0],
    ['a warning, which is left out', ['/long'], ['--errors-only'], 0],
    ['an error beside warnings that are left out', ['/long', '/card'], ['--errors-only'], 1],
    ['one problem too many', ['/long', '/card'], ['--max-problems', '2'], 1],
    ['a page that cannot be read', ['/missing'], [], 2],
    ['a file', ['/data.json'], [], 2],
    ['a page that cannot be read, and a problem', ['/missing', '/card'], [], 2],
    ['problems of other apps only', ['/long'], ['--app', 'facebook,slack'], 0],
    ['problems of the app', ['/long'], ['--app', 'facebook,X'], 1],
    ['a page that does not respond in time', ['/hanging'], ['--timeout', '100'], 2],
    ['redirects to the public address and to the preview server', ['/moved', '/moved-here'], [], 0],
  ])('%s', async (_, paths, options, code) => {
    const { code: exited, stdout, stderr } = await check(paths, ...options)
    expect([exited, stdout + stderr]).toEqual([code, expect.any(String)])
  })
})

describe('the arguments of urlmeta check', () => {
  test.each<[name: string, args: string[], message: string]>([
    ['no URLs', [], 'no URLs'],
    ['an unknown app', [urlOf('/'), '--app', 'myspace'], "unknown app 'myspace'; the apps are x, facebook,"],
    ['two formats', [urlOf('/'), '--json', '--junit'], 'only one of --json, --junit and --github'],
    ['an address that is not an origin', [urlOf('/'), '--published-at', 'https://a.example/b'], 'origin'],
    ['a negative number', [urlOf('/'), '--max-problems', '-1'], 'whole number'],
    ['a file that does not exist', ['--file', 'missing.txt'], 'Cannot read missing.txt'],
    ['a report that cannot be written', [urlOf('/'), '--html', 'no/report.html'], 'no/report.html'],
    ['a sitemap that is not a URL', ['--sitemap', 'http://'], 'Not a valid URL'],
    ['a sitemap without a scheme', ['--sitemap', 'localhost:1/a.xml'], 'Must start with http:// or https://'],
    ['a sitemap that does not exist', ['--sitemap', urlOf('/gone.xml')], 'HTTP 404'],
    ['a page as a sitemap', ['--sitemap', urlOf('/no-sitemap.xml')], 'not a sitemap'],
    ['a sitemap that is not gzip', ['--sitemap', urlOf('/bad.xml.gz')], 'not a gzip file'],
    ['a sitemap without pages', ['--sitemap', urlOf('/empty.xml')], 'lists no pages'],
    ['an index with a path', ['--sitemap', urlOf('/broken-index.xml')], '/pages.xml is not a URL'],
  ])('%s exits with 2', async (_, args, message) => {
    const { code, stdout, stderr } = await place.run(['check', '--allow-private', ...args])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test('private addresses are only fetched on request, and only those of the URLs', async () => {
    const refused = await place.run(['check', urlOf('/')])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('use --allow-private')])
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(IMAGE) })
    RESPONSES['/other-port'] = () =>
      page(200, lights('/other-port', { 'og:image': `http://127.0.0.1:${other.port}/image.png` }))
    const { stdout } = await check(['/other-port'])
    expect(stdout).toContain('og:image: address not allowed.')
  })
})

describe('a page that is not published yet', () => {
  test('is checked as at its public address: https, links and images', async () => {
    const { code, stdout } = await check(['/'], '--json')
    const [line] = linesOf({ code, stdout, stderr: '' })
    expect([code, line!.findings]).toEqual([0, []])
    expect(line!.apps.filter(({ state }) => state !== 'fits')).toEqual([])
  })

  test('keeps the values of its tags, such as an image on this machine', async () => {
    const [line] = linesOf(await check(['/local-image'], '--json'))
    expect(line!.findings.map(({ subject, reason }) => `${subject}: ${reason}`)).toEqual([
      'og:image: address not allowed.',
      'og:image: It is loaded over http, and apps that show pages over https may block it.',
    ])
  })

  test('has the images of its address, if it is the public one', async () => {
    const { stdout } = await place.run([
      'check',
      '--allow-private',
      '--published-at',
      origin.url.origin,
      urlOf('/local-image'),
    ])
    expect(stdout).not.toContain('address not allowed')
  })

  test('has the icon of its public address', async () => {
    await check(['/icon'], '--html', 'icon.html')
    const html = readFileSync(join(place.dir, 'icon.html'), 'utf8')
    expect(html).toContain('<img class="pic icon" data-image="0"')
    expect(html).not.toContain('data-image="-1"')
  })

  test('without its address, is checked where it is', async () => {
    const { code, stdout, stderr } = await place.run(['check', '--allow-private', urlOf('/')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('--published-at')])
    expect(stdout).toContain('https: The page is not encrypted.')
    expect(stdout).toContain('Signal')
  })
})

describe('the output of urlmeta check', () => {
  test('says what each app shows, what is wrong, and what to do', async () => {
    const { stdout } = await check(['/long'])
    expect(stdout.split('\n')).toEqual([
      urlOf('/long'),
      '  ~ Large image, title cut (X, Discord)',
      expect.stringMatching(/^ {2}✓ Large image \(Facebook, .*Pinterest\)$/),
      '  ✓ Small image (Teams)',
      '  ✓ Search result (Google)',
      '  warning  og:title: 80 characters. X cuts it after 70. Shorten it.',
      '  warning  og:title: 80 bytes. Discord cuts it after 70. Shorten it.',
      '',
      '1 page: 1 with problems, 0 not read',
      '',
    ])
  })

  test('of several pages ends with the tags that have problems', async () => {
    const { stdout } = await check(['/long', '/card', '/missing', '/'])
    expect(stdout).toContain(`${urlOf('/missing')}\n  error    Failed to fetch URL: HTTP 404\n`)
    expect(stdout).toContain(`\n✓ ${urlOf('/')}\n`)
    expect(stdout).toEndWith('4 pages: 2 with problems, 1 not read\nPages by tag: og:title 1, twitter:card 1\n')
  })

  test('has notices of one page only', async () => {
    RESPONSES['/no-type'] = () => page(200, lights('/no-type', { 'og:type': '' }))
    expect((await check(['/no-type'])).stdout).toContain('notice   og:type: ')
    expect((await check(['/no-type', '/'])).stdout).not.toContain('notice')
  })

  test('as JSON has a line for each page, in the order of the URLs', async () => {
    const lines = linesOf(await check(['/card', '/missing', '/'], '--json', '--app', 'discord,x'))
    expect(lines.map(({ url }) => url)).toEqual(['/card', '/missing', '/'].map(urlOf))
    expect(lines[0]).toEqual({
      url: urlOf('/card'),
      apps: [
        { id: 'x', name: 'X', state: 'fits', text: 'Small image' },
        { id: 'discord', name: 'Discord', state: 'fits', text: 'Small image' },
      ],
      findings: [
        {
          severity: 'error',
          subject: 'twitter:card',
          reason: '"large" is not a card type.',
          fix: 'Use summary, summary_large_image, app, player.',
          apps: ['x', 'slack', 'discord', 'telegram'],
        },
      ],
    } as never)
    expect(lines[1]).toEqual({ url: urlOf('/missing'), error: 'Failed to fetch URL: HTTP 404' } as never)
  })

  test('as annotations for GitHub has a line for each problem, which no page can forge', async () => {
    const { stdout } = await check(['/card', '/forged', '/missing', '/'], '--github')
    expect(stdout.trim().split('\n')).toEqual([
      `::error title=twitter%3Acard::${urlOf('/card')}: twitter:card: "large" is not a card type. Use summary, summary_large_image, app, player.`,
      expect.stringMatching(/^::warning title=og%3Aurl::.* It is https:\/\/www\.lights\.example\/a%250A::error::b,/),
      `::error title=Not read::${urlOf('/missing')}: Failed to fetch URL: HTTP 404`,
    ])
  })

  test.each(['', '--github', '--json', '--junit'])(
    'has no characters and commands of pages with %p',
    async (format) => {
      const card = 'a\u202e##vso[task.setvariable variable=a]b ##[add-mask]c'
      RESPONSES['/commands'] = () => page(200, lights('/commands', { 'twitter:card': card }))
      await Bun.write(join(place.dir, 'commands.txt'), `${urlOf('/commands')}\n${urlOf('/\u009b\ufffe###vso[a]')}\n`)
      const { stdout } = await check([], '--file', 'commands.txt', ...(format ? [format] : []))
      expect(stdout).toContain('task.setvariable')
      expect(stdout).not.toMatch(/##(vso)?\[/)
      if (format !== '--json') expect(stdout).not.toMatch(/[\u009b\u202e\ufffe]/)
    },
  )

  test('as JUnit is a document with a case for each page', async () => {
    const { stdout } = await check(['/card', '/forged', '/missing', '/'], '--junit')
    const cases = [...stdout.matchAll(/<testcase classname="([^"]*)" name="([^"]*)">(<failure|<error)?/g)]
    expect(cases.map(([, suite, name, outcome = '']) => [suite, name, outcome])).toEqual([
      [`127.0.0.1:${origin.port}`, urlOf('/card'), '<failure'],
      [`127.0.0.1:${origin.port}`, urlOf('/forged'), '<failure'],
      [`127.0.0.1:${origin.port}`, urlOf('/missing'), '<error'],
      [`127.0.0.1:${origin.port}`, urlOf('/'), ''],
    ])
    expect(stdout).toStartWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
    expect(stdout).toContain('<testsuite name="urlmeta check" tests="4" failures="2" errors="1">')
    expect(stdout).toContain('&quot;large&quot; is not a card type')
    expect(stdout).not.toContain('<c>')
    // Control characters are not allowed in XML.
    expect(stdout).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
  })
})

describe('a sitemap', () => {
  test.each<[name: string, path: string, paths: string[]]>([
    ['of pages, each once', '/sitemap.xml', ['/', '/long']],
    ['that is an index, with gzip', '/index.xml', ['/card', '/', '/long']],
  ])('%s', async (_, path, paths) => {
    const lines = linesOf(await check([], '--json', '--sitemap', urlOf(path)))
    expect(lines.map(({ url }) => url)).toEqual(paths.map((each) => PUBLIC + each))
  })

  test('and the URLs of the command are checked once, however they are written', async () => {
    const { stdout } = await place.run([
      'check',
      '--allow-private',
      '--json',
      urlOf('').toUpperCase(),
      urlOf('/'),
      `${urlOf('/')}?`,
    ])
    expect(stdout.trim().split('\n')).toHaveLength(2)
  })

  test('has at most four pages of a host in progress', async () => {
    const { code, stdout } = await check([], '--json', '--sitemap', urlOf('/many.xml'))
    expect([code, linesOf({ code, stdout, stderr: '' }).length]).toEqual([0, 40])
    expect(mostRunning).toBeWithin(2, 6)
  })

  test('that has the same image on all pages requests it once', async () => {
    imageRequests = 0
    await check([], '--sitemap', urlOf('/many.xml'))
    expect(imageRequests).toBe(1)
  })
})

describe('--unread', () => {
  test('writes the pages that could not be read, for --file', async () => {
    const file = join(place.dir, 'unread.txt')
    await check(['/', '/missing', '/data.json'], '--unread', file)
    expect(readFileSync(file, 'utf8')).toBe(`${urlOf('/missing')}\n${urlOf('/data.json')}\n`)
    RESPONSES['/missing'] = () => page(200, lights('/missing'))
    const again = await check([], '--file', file, '--unread', file, '--json')
    delete RESPONSES['/missing']
    expect([again.code, linesOf(again).map(({ url }) => url)]).toEqual([2, [urlOf('/missing'), urlOf('/data.json')]])
    expect(readFileSync(file, 'utf8')).toBe(`${urlOf('/data.json')}\n`)
  })

  test('writes where pages were requested, and other hosts of a sitemap as comments, which --allow-private ignores', async () => {
    const file = join(place.dir, 'hosts.txt')
    const { stderr } = await check([], '--sitemap', urlOf('/other-hosts.xml'), '--unread', file)
    const lines = [urlOf('/missing'), '# http://127.0.0.1:1/', urlOf('/gone'), `# https://10.0.0.1/${urlOf('/')}`]
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([...lines, `#\ufffd${urlOf('/')}`, ''])
    expect([stderr.includes('use --allow-private'), stderr.includes('URLMETA_ALLOW_PRIVATE_HOSTS')]).toEqual([
      false,
      true,
    ])
    const again = linesOf(await check([], '--file', file, '--json'))
    expect(again.map(({ url }) => url)).toEqual([urlOf('/missing'), urlOf('/gone')])
  })

  test('writes each page once', async () => {
    const file = join(place.dir, 'once.txt')
    const { stdout } = await check(['/missing', '/missing'], '--unread', file)
    expect([stdout.split(urlOf('/missing')).length, readFileSync(file, 'utf8')]).toEqual([2, `${urlOf('/missing')}\n`])
  })

  test('when interrupted, writes the pages that were not reached too', async () => {
    const file = join(place.dir, 'rest.txt')
    writeFileSync(join(place.dir, 'urls.txt'), ['/', '/hanging', '/long'].map(urlOf).join('\n'))
    const terminal = place.terminal(
      `urlmeta check --allow-private --published-at ${PUBLIC} --file urls.txt --timeout 15000 --unread ${file} --json`,
    )
    await until(() => terminal.output().includes(`"url":"${urlOf('/')}"`))
    // Also for a command that is killed.
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4)
    terminal.type('\x03')
    expect(await terminal.exited).toBe(130)
    expect(terminal.output()).toContain('Interrupted. Pages not read: 2.')
    expect(readFileSync(file, 'utf8')).toBe(`${urlOf('/hanging')}\n${urlOf('/long')}\n`)
  })

  test('a run that cannot be written fails before it starts', async () => {
    const { code } = await check(['/'], '--unread', 'no/such/file')
    expect([code, existsSync(join(place.dir, 'no'))]).toEqual([2, false])
  })
})
