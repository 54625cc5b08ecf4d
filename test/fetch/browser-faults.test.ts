import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'

import { startChromium } from '../../src/fetch/chromium/process.ts'
import type { OpenBrowser } from '../../src/fetch/chromium/open-browser.ts'
import { RESPONSE_MS } from '../../src/fetch/chromium/pulse.ts'
import { groupsOf } from '../grouped-runs.ts'
import { PATIENT_BROWSER_MS, PATIENT_TEST_MS } from '../patience.ts'
import { chromium, describeChromium, describeEachChromium } from '../requirements.ts'
import { isThorough } from '../thorough.ts'
import { budgetOf } from './budget.ts'
import { processesOf, runningProcesses, until } from './processes.ts'
import { rendererFor } from './renderer-for.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const PAGES = isThorough ? 18 : 8
/** Pages that are open when Chromium is killed. */
const OPEN_PAGES = isThorough ? 6 : 4
const HTML = { 'content-type': 'text/html' }

const dir = mkdtempSync(join(tmpdir(), 'urlmeta-fake-chromium-'))

// Profiles are counted, and other tests have theirs in the folder of the system at the same time.
const systemTemporary = process.env['TMPDIR']
beforeAll(() => void (process.env['TMPDIR'] = dir))
afterAll(() => {
  if (systemTemporary === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = systemTemporary
})
// Not earlier, because Playwright keeps the first temporary directory that it sees.
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

/** A program in place of Chromium that records each of its starts. */
function fakeChromium(name: string, script: string): { path: string; starts(): number } {
  const path = join(dir, name)
  const log = `${path}.starts`
  writeFileSync(log, '')
  writeFileSync(path, `#!/bin/sh\necho start >> '${log}'\n${script}\n`)
  chmodSync(path, 0o755)
  return { path, starts: () => readFileSync(log, 'utf8').split('\n').length - 1 }
}

const profiles = () => readdirSync(dir).filter((name) => name.startsWith('urlmeta-chromium-'))

describe('a Chromium that', () => {
  test.each([
    ['writes random bytes to its pipe', 'head -c 300000 /dev/urandom >&4; printf "\\000" >&4; sleep 60'],
    ['sends an invalid message', 'printf "null\\000" >&4; sleep 60'],
    ['sends a response without a request', 'printf \'{"id":4711,"result":{}}\\000\' >&4; sleep 60'],
    ['exits immediately', 'exit 1'],
  ])('%s is stopped, reported, and retried with growing delays', async (name, script) => {
    const fake = fakeChromium(name.replaceAll(' ', '-'), script)
    const faults: unknown[] = []
    const waits: number[] = []
    {
      await using renderer = rendererFor(fake.path, [], {
        onError: (error) => faults.push(error),
        onBackOff: (remainingMs) => waits.push(remainingMs),
      })
      using budget = budgetOf(PATIENT_BROWSER_MS)
      const url = new URL('http://127.0.0.1:9/')
      for (let i = 0; i < 20; i++) {
        expect(await renderer.render(url, budget)).toHaveProperty(
          'failure',
          expect.stringMatching(/not_started|browser_gone/),
        )
      }
    }
    expect(faults.length).toBeGreaterThan(0)
    // Two starts without a delay, a third one, and one for each second of the test.
    expect(waits.length).toBeGreaterThan(0)
    expect(fake.starts()).toBeLessThan(10)
    // A killed process may still be listed for a moment.
    await until(() => !runningProcesses().some(({ command }) => command.includes(fake.path)))
    expect(profiles()).toEqual([])
  })
})

describeEachChromium('Chromium', (executable) => {
  const elsewhere = join(dir, `elsewhere-${basename(executable)}`)
  writeFileSync(elsewhere, `#!/bin/sh\ncd / && exec '${executable}' "$@"\n`, { mode: 0o755 })

  test.each([
    ['its usual path, although its script changes the working directory', elsewhere, systemTemporary ?? '/tmp'],
    ['a long path', executable, join(dir, 'x'.repeat(90))],
    ['a relative path', relative('', executable), relative('', join(dir, 'relative'))],
  ])('starts in a temporary folder with %s', async (_, path, temporary) => {
    mkdirSync(temporary, { recursive: true })
    process.env['TMPDIR'] = temporary
    try {
      using site = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => new Response('<title>x</title>', { headers: HTML }),
      })
      await using renderer = rendererFor(path, [`127.0.0.1:${site.port}`])
      using budget = budgetOf(PATIENT_BROWSER_MS)
      const rendered = await renderer.render(new URL(`http://127.0.0.1:${site.port}/`), budget)
      expect(rendered).toHaveProperty('page.status', 200)
    } finally {
      process.env['TMPDIR'] = dir
    }
  })
})

describeChromium('Chromium', () => {
  test('that loses a document while it is read is asked again', async () => {
    using site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('<title>x</title>', { headers: HTML }),
    })
    const program = join(import.meta.dir, 'forgetful-chromium.ts')
    const forgetful = fakeChromium('forgetful', `exec '${process.execPath}' '${program}' document '${chromium!}' "$@"`)
    await using renderer = rendererFor(forgetful.path, [`127.0.0.1:${site.port}`])
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const rendered = await renderer.render(new URL(`http://127.0.0.1:${site.port}/`), budget)
    expect(rendered).toHaveProperty('page.status', 200)
    expect(forgetful.starts()).toBe(1)
  })

  test.each([
    ['open', 'Target.createTarget', { page: expect.objectContaining({ status: 200 }) }],
    // The page may be the reason.
    ['load', 'Page.navigate', { failure: 'browser_gone' }],
  ])('that does not %s a page in time is replaced', async (name, request, outcome) => {
    using site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('<title>x</title>', { headers: HTML }),
    })
    const program = join(import.meta.dir, 'forgetful-chromium.ts')
    const deaf = fakeChromium(
      `deaf-${name}`,
      `[ "$(wc -l < "$0.starts")" -gt 1 ] && exec '${chromium!}' "$@"
       exec '${process.execPath}' '${program}' ${request} '${chromium!}' "$@"`,
    )
    const faults: unknown[] = []
    await using renderer = rendererFor(deaf.path, [`127.0.0.1:${site.port}`], {
      responseMs: RESPONSE_MS / 4,
      onError: (fault) => faults.push(fault),
    })
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const url = new URL(`http://127.0.0.1:${site.port}/`)
    expect(await renderer.render(url, budget)).toMatchObject(outcome)
    expect(String(faults)).toMatch(/Chromium (?:did not open a page in time|does not respond) and is being stopped/)
    expect(await renderer.render(url, budget)).toHaveProperty('page.status', 200)
    expect(deaf.starts()).toBe(2)
  })

  test('that gets no CPU for longer than it may take to respond is not replaced', async () => {
    using site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response('<title>x</title>', { headers: HTML }),
    })
    const started: OpenBrowser[] = []
    const faults: unknown[] = []
    let checks = 0
    await using renderer = rendererFor(chromium!, [`127.0.0.1:${site.port}`], {
      responseMs: RESPONSE_MS / 4,
      onStart(opened) {
        started.push(opened)
        const { cpuMs } = opened.process!
        opened.process!.cpuMs = () => (checks++, cpuMs())
      },
      onError: (fault) => faults.push(fault),
    })
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const render = () => renderer.render(new URL(`http://127.0.0.1:${site.port}/`), budget)
    await render()
    const [{ group } = expected()] = processesOf(started[0]!.process!.profile)
    process.kill(-group, 'SIGSTOP')
    const rendered = render()
    const before = checks
    // Two deadlines, of the page and of the browser, are checked four times each within `responseMs`.
    await until(() => checks - before > 16)
    process.kill(-group, 'SIGCONT')
    expect(await rendered).toHaveProperty('page.status', 200)
    expect([started.length, faults]).toEqual([1, []])
  })

  test('exits when only the shell that waits for it is killed', async () => {
    const fake = fakeChromium('reads-its-pipe', 'exec cat <&3')
    await using started = startChromium(fake.path, 1)
    await until(() => processesOf(started.profile).some(({ command }) => command === 'cat '))
    // The shell leads the group.
    const [{ group: shell } = expected()] = processesOf(started.profile)
    process.kill(shell, 'SIGKILL')
    await started.exited
    await until(() => !runningProcesses().some(({ group }) => group === shell))
    expect(fake.starts()).toBe(1)
  })

  test(`killed under ${PAGES} pages leaves no process, no folder and no request that hangs`, async () => {
    const started: OpenBrowser[] = []
    const visited = new Set<string>()
    let held = 0
    using site = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch({ url }) {
        const { pathname } = new URL(url)
        if (pathname === '/held') {
          held++
          return new Promise<Response>(() => {})
        }
        // The first visit of each page has a request that never ends; the second visit is after the kill.
        const script = visited.has(pathname) ? '' : `<script>fetch('/held')</script>`
        visited.add(pathname)
        return new Response(`<title>x</title>${script}`, { headers: HTML })
      },
    })
    const renderer = rendererFor(chromium!, [`127.0.0.1:${site.port}`], {
      concurrency: OPEN_PAGES,
      onStart: (opened) => started.push(opened),
    })
    using budget = budgetOf(PATIENT_BROWSER_MS)
    const paths = Array.from({ length: PAGES }, (_, i) => `/${i}`)
    for (const group of groupsOf(paths, OPEN_PAGES)) {
      const heldBefore = held
      const outcomes = group.map((path) => renderer.render(new URL(`http://127.0.0.1:${site.port}${path}`), budget))
      await until(() => held === heldBefore + group.length)
      const { profile } = started.at(-1)!.process!
      const [{ group: processGroup } = expected()] = processesOf(profile)
      process.kill(-processGroup, 'SIGKILL')
      for (const outcome of outcomes) expect(await outcome).toHaveProperty('page.status', 200)
    }
    await renderer[Symbol.asyncDispose]()
    const own = started.map((opened) => opened.process!.profile)
    expect(own.length).toBeGreaterThan(PAGES / OPEN_PAGES)
    await until(() => !runningProcesses().some(({ command }) => own.some((profile) => command.includes(profile))))
    expect(own.every((profile) => profile.startsWith(`${dir}/`))).toBe(true)
    expect(profiles()).toEqual([])
  })
})

function expected(): never {
  throw new Error('no process of that Chromium')
}
