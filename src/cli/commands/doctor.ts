import { styleText } from 'node:util'

import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'

import type { NamedFinding } from '../../service/operation/doctor.ts'
import { HIDDEN_COMMANDS } from '../../own-command.ts'
import { type CommandContext, EXIT } from '../command.ts'
import { print, printable, printJson } from '../output.ts'

export function addDoctorCommand(program: Command, { env, readConfig, exit }: CommandContext) {
  program
    .command('doctor')
    .description('check everything that the service needs, with a remedy for each problem')
    .option('--url <url>', 'a page that must be reachable, instead of example.com; may be repeated', urlArgument, [])
    .option('--strict', 'exit with 1 for warnings too')
    .option('--confirm-clock', 'trust the clock again after it has jumped ahead, so that expired rows are deleted')
    .option('--json', 'print {"ok", "checks": [{"name", "status", "detail", "remedy"?}]}')
    .action(async ({ url: urls, strict, confirmClock: isConfirmed, json }) => {
      const { confirmClock, diagnose } = await import('../../compose/doctor.ts')
      if (isConfirmed) confirmClock(readConfig())
      const findings: NamedFinding[] = []
      for await (const finding of diagnose(readConfig(), env, urls)) {
        findings.push(finding)
        if (!json) print(lineOf(finding))
      }
      const bad = findings.filter(({ status }) => status === 'failed' || (strict && status === 'warning'))
      if (json) printJson({ ok: bad.length === 0, checks: findings })
      else print(summaryOf(findings))
      if (bad.length > 0) exit(EXIT.failure)
    })

  // `doctor` runs this in another process: reading a large database blocks the process for minutes.
  program
    .command(HIDDEN_COMMANDS.checkDatabase, { hidden: true })
    .argument('<path>')
    .action(async (path) => {
      const { probeDatabase } = await import('../../compose/probe.ts')
      const problem = await probeDatabase(path)
      if (problem === null) return
      printJson(problem)
      exit(EXIT.failure)
    })
}

type Style = Parameters<typeof styleText>[0]

const MARKS: Record<NamedFinding['status'], [text: string, style: Style]> = {
  ok: ['ok  ', 'green'],
  skipped: ['–   ', 'dim'],
  warning: ['WARN', 'yellow'],
  failed: ['FAIL', 'red'],
}

/** `FAIL  free space  12 MB are free`, with the remedy on a second line. */
function lineOf(finding: NamedFinding): string {
  const { name, status, detail } = finding
  const [mark, style] = MARKS[status]
  const line = `${styleText(style, mark, { stream: process.stdout })}  ${name.padEnd(22)}  ${printable(detail)}`
  return 'remedy' in finding ? `${line}\n${' '.repeat(30)}→ ${printable(finding.remedy)}` : line
}

function summaryOf(findings: readonly NamedFinding[]): string {
  const count = (status: NamedFinding['status']) => findings.filter((finding) => finding.status === status).length
  const [failures, warnings] = [count('failed'), count('warning')]
  if (failures + warnings === 0) return '\nNo problems found.'
  return `\n${failures} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
}

function urlArgument(text: string, previous: string[]): string[] {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('Must be an http(s) URL.')
  return [...previous, url.href]
}
