// Fresh answers: the executable beside a bare Bun server that only fetches the page, and beside peers behind node:http,
// on the same pages in turns. The processor time of each server is steadier than its rate where cores are shared.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const EXECUTABLE = join(import.meta.dir, '../dist/urlmeta')
const PEERS = ['unfurl.js', 'url-metadata', 'open-graph-scraper', 'node-html-parser']
const AT_ONCE = 16
const ROUND_MS = 3_000
/** After a burst, memory is given back within this. */
const IDLE_MS = 60_000

/** /proc counts processor time in these. */
const TICKS_PER_SECOND = 100

/** One server under comparison. */
interface Contender {
  name: string
  pid: number
  ask(pageUrl: string): Promise<Response>
  /** Of each round: answers per second, and milliseconds of processor time for one. */
  rounds: { rate: number; cpuMs: number }[]
}

export async function compareFresh(pagesDir: string | undefined, rounds: number) {
  await using stack = new AsyncDisposableStack()
  const origin = await startScript(stack, 'page-origin.ts', pagesDir === undefined ? [] : [pagesDir])
  const hasPeers = existsSync(join(import.meta.dir, 'peers/node_modules'))
  if (!hasPeers) console.log('peers are not installed: run `bun install` in bench/peers')
  const names = ['bare', ...(hasPeers ? PEERS : [])]
  const contenders = [await startProduct(stack, origin.port)]
  for (const name of names) contenders.push(await startContender(stack, name))

  let page = 0
  const pageUrl = () => `http://127.0.0.1:${origin.port}/page${page++}`
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const measured = await measure(contender, pageUrl)
      if (round > 0) contender.rounds.push(measured)
    }
  }
  print(contenders, rounds)
  const { pid } = contenders[0]!
  const busy = residentMegabytes(pid)
  await Bun.sleep(IDLE_MS)
  console.log(`urlmeta's resident memory: ${busy} MB at the end, ${residentMegabytes(pid)} MB a minute later`)
}

async function measure({ pid, ask }: Contender, pageUrl: () => string) {
  const cpuBefore = cpuMsOf(pid)
  const startedAt = performance.now()
  let answers = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() - startedAt < ROUND_MS) {
        const response = await ask(pageUrl())
        const body = await response.text()
        if (response.status !== 200) throw new Error(`${response.status}: ${body}`)
        answers++
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  return { rate: answers / seconds, cpuMs: (cpuMsOf(pid) - cpuBefore) / answers }
}

function print(contenders: readonly Contender[], rounds: number) {
  const of = (name: string) => contenders.find((one) => one.name === name)!
  const rate = (one: Contender) => median(one.rounds.map((round) => round.rate))
  const cpuMs = (one: Contender) => median(one.rounds.map((round) => round.cpuMs))
  const ours = of('urlmeta')
  console.log(`\nfresh answers, ${AT_ONCE} at once, median of ${rounds} rounds; urlmeta against each:`)
  for (const one of contenders) {
    const ratios = one === ours ? '' : `rate ${ratio(rate(ours), rate(one))}, CPU ${ratio(cpuMs(one), cpuMs(ours))}`
    const figures = `${rate(one).toFixed(0).padStart(6)}/s ${cpuMs(one).toFixed(2).padStart(7)} ms CPU each`
    console.log(`${one.name.padEnd(20)}${figures}   ${ratios}`)
  }
}

function ratio(a: number, b: number): string {
  return (a / b).toFixed(a < b ? 2 : 1)
}

async function startProduct(stack: AsyncDisposableStack, originPort: number): Promise<Contender> {
  const dir = mkdtempSync(join(tmpdir(), 'urlmeta-bench-'))
  stack.defer(() => rmSync(dir, { recursive: true }))
  const options = {
    cwd: dir,
    env: {
      URLMETA_PORT: '0',
      URLMETA_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${originPort}`,
      URLMETA_PLAN_FREE_PER_MINUTE: '1000000',
      URLMETA_PLAN_FREE_PER_MONTH: '100000000',
    },
  }
  const created = Bun.spawnSync([EXECUTABLE, 'key', 'create', '--email', 'bench@example.com', '--json'], options)
  const { key } = JSON.parse(created.stdout.toString())
  // A file, not a pipe: a reader on these cores would be measured too.
  const log = Bun.file(join(dir, 'log'))
  await Bun.write(log, '')
  const child = Bun.spawn([EXECUTABLE], { ...options, stdout: log, stderr: 'inherit' })
  stack.defer(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  let base: string | undefined
  while (base === undefined) {
    if (child.exitCode !== null) throw new Error('it ended before it listened')
    await Bun.sleep(5)
    base = /listens on (http:\/\/[^"\s]+)/.exec(await log.text())?.[1]
  }
  const headers = { 'x-api-key': key }
  const ask = (url: string) => fetch(`${base}/v1/metadata?url=${encodeURIComponent(url)}&method=fetch`, { headers })
  return { name: 'urlmeta', pid: child.pid, ask, rounds: [] }
}

async function startContender(stack: AsyncDisposableStack, name: string): Promise<Contender> {
  const { pid, port } = await startScript(stack, 'contender.ts', [name])
  const ask = (url: string) => fetch(`http://127.0.0.1:${port}/?url=${encodeURIComponent(url)}`)
  return { name, pid, ask, rounds: [] }
}

/** Starts a script of this folder that prints its port. */
async function startScript(stack: AsyncDisposableStack, script: string, args: readonly string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], { stderr: 'inherit' })
  stack.defer(async () => {
    child.kill()
    await child.exited
  })
  for await (const chunk of child.stdout) return { pid: child.pid, port: Number(new TextDecoder().decode(chunk)) }
  throw new Error(`${script} ended before it listened`)
}

/** Processor time of a process so far: fields 14 and 15 of its stat, behind the name in brackets. */
function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}
