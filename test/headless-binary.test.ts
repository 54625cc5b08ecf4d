import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { openWorkspace } from './executable.ts'
import { killProcessesOf, processesOf, until } from './fetch/processes.ts'
import { describeChromium } from './requirements.ts'
import { typicalCases } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const SHELL = `<title>Shell</title><body><div id="root"></div><script>
  document.head.innerHTML = '<meta property="og:title" content="Filled in">'
</script>`
const HELD = `<title>Shell</title><body><div id="root"></div><script>fetch('/held' + location.search)</script>`
const HANGING = `<title>Shell</title><body><div id="root"></div><script>while (true) {}</script>`
const ARTICLE = '<title>Article</title><meta name="description" content="D"><body><p>' + 'four '.repeat(100)

describeChromium('the executable, alone in an empty directory', () => {
  /** Requests so far, by path and query. Each test uses a different query. */
  const requested: string[] = []
  const origin = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      requested.push(pathname + search)
      if (pathname === '/held') await new Promise(() => {})
      const page = { '/holding': HELD, '/hanging': HANGING, '/article': ARTICLE }[pathname] ?? SHELL
      return new Response(page, { headers: HTML })
    },
  })
  const urlOf = (path: string) => `http://127.0.0.1:${origin.port}${path}`
  afterAll(() => origin.stop(true))

  /** The executable with a separate temporary directory. */
  function openRenderingWorkspace() {
    const workspace = openWorkspace()
    const temporary = join(workspace.dir, 'tmp')
    mkdirSync(temporary)
    return {
      workspace,
      temporary,
      env: {
        TMPDIR: temporary,
        URLMETA_CHROMIUM: 'auto',
        URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${origin.port}`,
      },
    }
  }

  test('renders a shell and leaves nothing behind', async () => {
    const { workspace: opened, temporary, env } = openRenderingWorkspace()
    await using workspace = opened
    const { code, stdout, stderr } = await workspace.run(['fetch', '--timeout', '15000', urlOf('/')], env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ title: 'Filled in', fetch_method: 'headless' })
    expect(readdirSync(temporary)).toEqual([])
  })

  test('--headless renders pages that do not need it', async () => {
    const { workspace: opened, env } = openRenderingWorkspace()
    await using workspace = opened
    const plain = await workspace.run(['fetch', urlOf('/article')], env)
    expect(JSON.parse(plain.stdout)).toMatchObject({ title: 'Article', fetch_method: 'http' })
    const forced = await workspace.run(['fetch', '--headless', '--timeout', '15000', urlOf('/article')], env)
    expect(JSON.parse(forced.stdout)).toMatchObject({ title: 'Article', fetch_method: 'headless' })
  })

  test('exits after a page that never finishes', async () => {
    const { workspace: opened, temporary, env } = openRenderingWorkspace()
    await using workspace = opened
    const { stdout } = await workspace.run(['fetch', '--timeout', '15000', urlOf('/hanging')], env)
    expect(JSON.parse(stdout)).toMatchObject({ title: 'Shell', fetch_method: 'http' })
    // The plain request and the browser's request.
    expect(requested.filter((path) => path === '/hanging')).toHaveLength(2)
    expect(readdirSync(temporary)).toEqual([])
  })

  test('--headless without Chromium is an error', async () => {
    const { workspace: opened, env } = openRenderingWorkspace()
    await using workspace = opened
    const { code, stdout, stderr } = await workspace.run(['fetch', '--headless', urlOf('/article')], {
      ...env,
      URLMETA_CHROMIUM: 'off',
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('URLMETA_CHROMIUM')
  })

  test('the server exits on SIGTERM after a page whose scripts never yield', async () => {
    const { workspace: opened, temporary, env } = openRenderingWorkspace()
    await using workspace = opened
    const created = await workspace.run(['key', 'create', '--email', 'jo@example.com', '--json'], env)
    const { key } = JSON.parse(created.stdout) as { key: string }
    const service = await workspace.serve(env)
    const ask = async (path: string, timeout: string) => {
      const query = new URLSearchParams({ url: urlOf(path), timeout })
      return await (await fetch(`${service.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })).json()
    }
    // Starts Chromium, so that the time of the hanging page, which uses the CPU until then, can be short.
    expect(await ask('/', '15000')).toMatchObject({ fetch_method: 'headless' })
    expect(await ask('/hanging?served', '6000')).toMatchObject({ title: 'Shell', fetch_method: 'http' })
    // The plain request and the browser's request.
    expect(requested.filter((path) => path === '/hanging?served')).toHaveLength(2)

    service.kill('SIGTERM')
    await service.exited
    await until(() => processesOf(temporary).length === 0 && readdirSync(temporary).length === 0)
  })

  test('metrics count the starts and crashes of Chromium', async () => {
    const { workspace: opened, temporary, env } = openRenderingWorkspace()
    await using workspace = opened
    const created = await workspace.run(['key', 'create', '--email', 'jo@example.com', '--json'], env)
    const { key } = JSON.parse(created.stdout) as { key: string }
    const service = await workspace.serve(env)
    const query = new URLSearchParams({ url: urlOf('/'), timeout: '15000' })
    await fetch(`${service.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
    const scrape = async () => (await fetch(`${service.url}/metrics`)).text()
    // A request is counted after its response has been sent.
    while (!(await scrape()).includes('\nurlmeta_fetches_total{method="headless"} 1\n')) await Bun.sleep(10)
    const before = await scrape()
    for (const series of [
      'urlmeta_browser_launches_total 1',
      'urlmeta_browser_crashes_total 0',
      'urlmeta_fetch_phase_duration_seconds_count{phase="render"} 1',
    ]) {
      expect(before).toContain(`\n${series}\n`)
    }

    const [profile = ''] = readdirSync(temporary)
    killProcessesOf(join(temporary, profile))
    while (!(await scrape()).includes('\nurlmeta_browser_crashes_total 1\n')) await Bun.sleep(10)
    expect(await scrape()).toContain('\nurlmeta_browser_faults_total 1\n')
  })

  test.each(typicalCases(['SIGTERM', 'SIGKILL'] as const, (signal) => signal === 'SIGKILL'))(
    'on %s a rendering server stops Chromium and removes its files',
    async (signal) => {
      const { workspace: opened, temporary, env } = openRenderingWorkspace()
      await using workspace = opened
      const created = await workspace.run(['key', 'create', '--email', 'jo@example.com', '--json'], env)
      const { key } = JSON.parse(created.stdout) as { key: string }
      const service = await workspace.serve(env)
      const query = new URLSearchParams({ url: urlOf(`/holding?${signal}`), timeout: '15000' })
      const pending = fetch(`${service.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } }).catch(() => null)
      await until(() => requested.includes(`/held?${signal}`))
      const [profile = ''] = readdirSync(temporary)
      expect(processesOf(join(temporary, profile)).length).toBeGreaterThan(1)

      service.kill(signal)
      await service.exited
      await pending
      await until(() => processesOf(temporary).length === 0 && readdirSync(temporary).length === 0)
    },
  )
})
