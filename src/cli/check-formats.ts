import { styleText } from 'node:util'

import { addTo } from '../core/tally.ts'
import { parseUrl } from '../core/web-url.ts'
import type { PageCheck } from '../previews/service/page-check.ts'
import { print, printable, printAndWait } from './output.ts'

/** A page that was checked, or why it could not be read. */
type CheckedUrl = { url: string } & ({ check: PageCheck } | { error: string })

type Finding = PageCheck['findings'][number]

export interface CheckFormat {
  /** The text for one page; '' for none. */
  page: (checked: CheckedUrl) => string
  /**
   * The whole document, for formats that have the numbers of pages at the start; otherwise pages are printed at once.
   */
  document?: (pages: readonly string[], summary: CheckSummary) => string
  /** Printed after the last page. */
  end?: (summary: CheckSummary) => string
}

interface CheckSummary {
  pages: number
  withProblems: number
  unread: number
  problems: number
  /** The number of pages with a problem, by tag. */
  byTag: ReadonlyMap<string, number>
}

/** Prints pages in a format, and counts them. */
export function createPrinter({ page, document, end }: CheckFormat) {
  const texts: string[] = []
  const byTag = new Map<string, number>()
  const summary = { pages: 0, withProblems: 0, unread: 0, problems: 0, byTag } satisfies CheckSummary
  return {
    async add(checked: CheckedUrl) {
      const found = 'check' in checked ? problemsOf(checked.check) : []
      summary.pages++
      if ('error' in checked) summary.unread++
      if (found.length > 0) summary.withProblems++
      summary.problems += found.length
      for (const tag of new Set(found.map(({ subject }) => subject))) addTo(byTag, tag, 1)
      const text = page(checked)
      if (document) texts.push(text)
      else if (text !== '') await printAndWait(text)
    },
    end(): CheckSummary {
      if (document) print(document(texts, summary))
      if (end) print(end(summary))
      return summary
    },
  }
}

/** The findings that a build fails for. */
function problemsOf({ findings }: PageCheck): Finding[] {
  return findings.filter(({ severity }) => severity !== 'notice')
}

const MARKS = { fits: '✓', cut: '~', none: '✗' } as const

/** `7 pages: 5 with problems, 2 not read`. */
export const countsOf = ({ pages, withProblems, unread }: CheckSummary) =>
  `${pages} ${pages === 1 ? 'page' : 'pages'}: ${withProblems} with problems, ${unread} not read`

/** For people. Of several pages, only problems are printed, and pages without problems are one line. */
export function textFormat(isSingle: boolean): CheckFormat {
  return {
    page(checked) {
      const url = printable(checked.url)
      const lineOf = (severity: Finding['severity'], text: string) =>
        `  ${styleText(COLORS[severity], severity.padEnd(7), { stream: process.stdout })}  ${printable(text)}`
      if ('error' in checked) return `${url}\n${lineOf('error', checked.error)}\n`
      const { check } = checked
      const findings = isSingle ? check.findings : problemsOf(check)
      if (!isSingle && findings.length === 0) return `✓ ${url}`
      const lines = findings.map((finding) => lineOf(finding.severity, sentenceOf(finding)))
      return [url, ...appLines(check), ...lines, ''].join('\n')
    },
    end(summary) {
      const tags = [...summary.byTag].toSorted(([, a], [, b]) => b - a).map(([tag, count]) => `${tag} ${count}`)
      return countsOf(summary) + (tags.length === 0 || isSingle ? '' : `\nPages by tag: ${tags.join(', ')}`)
    },
  }
}

/** The apps that show the same are on one line. */
function appLines({ apps }: PageCheck): string[] {
  const groups = Map.groupBy(apps, ({ state, text }) => `${MARKS[state]} ${text}`)
  return Array.from(groups, ([text, members]) => printable(`  ${text} (${members.map(({ name }) => name).join(', ')})`))
}

const COLORS = { error: 'red', warning: 'yellow', notice: 'dim', ok: 'green' } as const

const sentenceOf = ({ subject, reason, fix }: Finding) => `${subject}: ${reason} ${fix}`.trim()

/** A line of JSON for each page, with all findings. `##` could start a command, as in `printable`. */
export const JSON_FORMAT: CheckFormat = {
  page: (checked) =>
    JSON.stringify('check' in checked ? { ...checked.check, url: checked.url } : checked).replace(/#(?=#)/g, '\\u0023'),
}

/**
 * Workflow commands of GitHub Actions.
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export const GITHUB_FORMAT: CheckFormat = {
  page(checked) {
    const line = (severity: string, subject: string, text: string) =>
      `::${severity} title=${escapedProperty(subject)}::${escapedMessage(`${checked.url}: ${text}`)}`
    if ('error' in checked) return line('error', 'Not read', checked.error)
    const problems = problemsOf(checked.check)
    return problems.map((problem) => line(problem.severity, problem.subject, sentenceOf(problem))).join('\n')
  },
}

const escapedMessage = (text: string) => printable(text).replaceAll('%', '%25')
const escapedProperty = (text: string) => escapedMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** JUnit XML, as GitLab and other CI servers read it: a test case for each page. */
export const JUNIT_FORMAT: CheckFormat = {
  page(checked) {
    const { url } = checked
    const suite = escapedXml(parseUrl(url)?.host ?? '')
    const content =
      'error' in checked ? `<error message="${escapedXml(checked.error)}"/>` : failureOf(problemsOf(checked.check))
    return `  <testcase classname="${suite}" name="${escapedXml(url)}">${content}</testcase>`
  },
  document(pages, { withProblems, unread }) {
    const counts = `tests="${pages.length}" failures="${withProblems}" errors="${unread}"`
    const suite = [`<testsuite name="urlmeta check" ${counts}>`, ...pages, '</testsuite>']
    return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suite, '</testsuites>'].join('\n')
  },
}

function failureOf(problems: readonly Finding[]): string {
  if (problems.length === 0) return ''
  const message = problems.map(({ subject }) => subject).join(', ')
  const lines = problems.map((problem) => `${problem.severity}: ${escapedXml(sentenceOf(problem))}`)
  return `<failure message="${escapedXml(message)}">${lines.join('\n')}</failure>`
}

const escapedXml = (text: string) => Bun.escapeHTML(printable(text.toWellFormed()))
