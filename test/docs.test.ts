import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import { measurementsIn, PAGES as MEASURED_PAGES } from '../bench/documented.ts'

const ROOT = join(import.meta.dir, '..')

const filesOf = (...patterns: string[]) =>
  patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })]).toSorted()

const PAGES = filesOf('*.md', 'docs/**/*.md', '.github/**/*.md')
const texts = new Map(
  await Promise.all(PAGES.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const)),
)

const withoutCode = (text: string) => text.replaceAll(/^ *```.*?^ *```$/gms, '')

/** The anchors of the headings, as GitHub forms them. */
function anchorsOf(page: string): string[] {
  const headings = withoutCode(texts.get(page) ?? '').match(/(?<=^#+ ).*/gm) ?? []
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** Whether a link leads to a file or directory of the repository and, with an anchor, to a heading there. */
function targetExists(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : relative(ROOT, join(ROOT, dirname(from), path))
  return existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).includes(anchor))
}

describe('links', () => {
  test.each(PAGES)('of %s lead to files and headings that exist', (page) => {
    const text = withoutCode(texts.get(page)!)
    const links = text.match(/(?<=\]\()[^)\s]+(?=\))|(?<= (src|srcset)=")[^"]+/g) ?? []
    const own = links.filter((link) => !/^(https?|mailto):/.test(link))
    expect(own.filter((link) => !targetExists(page, link))).toEqual([])
  })

  test('every page of docs/ is listed in docs/README.md', () => {
    const index = texts.get('docs/README.md')!
    const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    expect(pages.filter((page) => !index.includes(`](${relative('docs', page)}`))).toEqual([])
  })

  test('code and configuration name pages that exist', async () => {
    const paths = filesOf('*.ts', '{src,views,test,bench}/**/*.{ts,tsx}', 'docs/deploy/*', '.github/**/*', '.ci/*')
    const named = await Promise.all(
      paths.map(async (path) => {
        const links = (await Bun.file(join(ROOT, path)).text()).match(/(?<![\w/])docs\/[\w/-]+\.md(#[\w-]+)?/g) ?? []
        return links.map((link) => ({ path, link }))
      }),
    )
    const broken = named.flat().filter(({ link }) => !targetExists('README.md', link))
    expect(broken).toEqual([])
  })
})

test.each(PAGES)('files that %s names exist', (page) => {
  const paths = texts.get(page)!.match(/(?<=`)(src|views|test|bench|drizzle|docs|\.github|\.ci)\/[\w./-]+(?=`)/g) ?? []
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

describe.each(MEASURED_PAGES)('%s', (page) => {
  test.each(measurementsIn(texts.get(page)!))('names the command and the commit of $heading', (measurement) => {
    const { benchmarks, commit } = measurement
    expect(benchmarks).not.toEqual([])
    expect(benchmarks.filter((name) => !existsSync(join(ROOT, `bench/${name}.ts`)))).toEqual([])
    expect(commit).toMatch(/^[0-9a-f]{8}$/)
  })
})

test('README.md has at most 900 words', () => {
  expect(texts.get('README.md')!.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900)
})

test('README.md has numbers of docs/benchmarks.md, and a picture that loads fast', async () => {
  const [line] = /^\*\*[\d,]+ cached.*$/m.exec(texts.get('README.md')!)!
  const benchmarks = texts.get('docs/benchmarks.md')!
  const numbers = line.match(/[\d,]*\d(?: MB| ms)?/g) ?? []
  expect(numbers).toHaveLength(4)
  expect(numbers.filter((number) => !benchmarks.includes(`| ${number} `))).toEqual([])
  expect(Bun.file(join(ROOT, 'docs/cards.webp')).size).toBeLessThan(200_000)
})
