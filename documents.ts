// The documentation that the server shows under /docs: docs/ as HTML and as text. This is a macro of Bun: it runs when the
// code is bundled, or in development when the file that calls it is loaded, and only its result is in the executable.
import { join, posix } from 'node:path'

import { homepage } from './package.json'

/** A heading with the text up to the next heading. */
export interface DocumentSection {
  /** The anchor of the heading. */
  id: string
  title: string
  /** The path of the page, with the anchor unless it is the title. */
  href: string
  /** With the title of the page before it. */
  label: string
  /** 1 for the title of the page. */
  level: number
  /** Without markup. */
  text: string
  /** The words of the titles of page and section, as `wordsOf` returns them. */
  titleWords: string
  /** All words, as `wordsOf` returns them. */
  words: string
  /** How much a word counts in a search: less in pages for developers. */
  weight: number
}

export interface Document {
  /** Below `/docs`, such as `/docs/api`. */
  path: string
  title: string
  /** The start of the text, for search engines. */
  description: string
  /** The main headings. */
  contents: { id: string; title: string }[]
  /** Trusted markup. It has `COPY_SLOT` where a code block has its copy button. */
  html: string
  sections: DocumentSection[]
}

/** A list of pages for one kind of reader: a section of docs/README.md. */
export interface DocumentGroup {
  title: string
  /** `section` is the path above the pages that belong to an entry, if it differs from that of the entry. */
  pages: { path: string; label: string; section?: string }[]
}

export interface Documentation {
  groups: DocumentGroup[]
  documents: Document[]
  /** Text files by path: each document as Markdown, the examples in docs/deploy, `/llms.txt` and `/llms-full.txt`. */
  files: Record<string, string>
}

/** Is replaced by the URL of the server, so that examples can be copied. */
export const EXAMPLE_SERVER = 'https://meta.example.com'

/** Is replaced by the copy button, whose icon has the URL of another file. */
export const COPY_SLOT = '<!--copy-->'

/** The first page for users, which is not in docs/. The other pages are not below it. */
const REFERENCE = { path: '/docs', label: 'API reference', section: '/docs#' }

const ROOT = import.meta.dir
const INDEX = 'docs/README.md'

const LLMS_START = `# urlmeta

> A self-hosted service that returns the metadata of a URL as JSON.

- [OpenAPI document](${EXAMPLE_SERVER}/openapi.json): the API of this server
- [All text](${EXAMPLE_SERVER}/llms-full.txt): the pages for users and operators in one file
`

/** As much as search engines show. */
const MAX_DESCRIPTION_CHARACTERS = 160

/** The highest that needs no more memory to decompress. */
const ZSTD_LEVEL = 19

/** The last group of the index is for developers of urlmeta: not in llms-full.txt, and late in search results. */
const GROUPS_OF_READERS = 2
const DEVELOPERS_WEIGHT = 0.4

/** The documentation as JSON, compressed with zstd, in Base64. As an object it would make the executable 4 MB larger. */
export async function packedDocumentation(): Promise<string> {
  const json = JSON.stringify(await readDocumentation())
  return Bun.zstdCompressSync(json, { level: ZSTD_LEVEL }).toString('base64')
}

async function readDocumentation(): Promise<Documentation> {
  const names = ['docs/*.md', 'docs/deploy/*'].flatMap((glob) => [...new Bun.Glob(glob).scanSync(ROOT)]).toSorted()
  const texts = new Map(
    await Promise.all(names.map(async (name) => [name, await Bun.file(join(ROOT, name)).text()] as const)),
  )
  const index = texts.get(INDEX)!
  const [users, ...others] = groupsIn(index)
  const groups = [{ ...users!, pages: [REFERENCE, ...users!.pages] }, ...others]
  const labels = new Map(groups.flatMap(({ pages }) => pages.map(({ path, label }) => [path, label])))
  const forReaders = new Set(groups.slice(0, GROUPS_OF_READERS).flatMap(({ pages }) => pages.map(({ path }) => path)))
  const documents = [...texts]
    .filter(([name]) => name.endsWith('.md') && name !== INDEX)
    .map(([name, text]) => documentFrom(name, text, labels, forReaders.has(pageOf(name)) ? 1 : DEVELOPERS_WEIGHT))
  const files = Object.fromEntries([...texts].map(([name, text]) => [`/${name}`, text]))
  const fullTexts = names.filter((name) => forReaders.has(pageOf(name))).map((name) => texts.get(name)!)
  return {
    groups,
    documents,
    files: { ...files, '/llms.txt': llmsText(index), '/llms-full.txt': fullTexts.join('\n') },
  }
}

/** `docs/api.md` → `/docs/api`; `docs/deploy/README.md` → `/docs/deploy`; `docs/README.md` → `/docs`. */
const pageOf = (name: string): string => `/${name.replace(/\.md$/, '').replace(/\/README$/, '')}`

/**
 * The target of a link in a file of the repository. Pages and files in docs/ are on the server; the others are in the
 * repository.
 */
function linkFrom(name: string, href: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(name), path)
  const end = anchor === undefined ? '' : `#${anchor}`
  if (/^docs\/(?:deploy\/)?[\w-]+\.md$/.test(target)) return pageOf(target) + end
  return (/^docs\/deploy\/[\w.-]+$/.test(target) ? `/${target}` : `${homepage}/blob/main/${target}`) + end
}

/** The links of docs/README.md by heading. */
function groupsIn(index: string): DocumentGroup[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      pages: [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, label = '', href = '']) => ({
        path: linkFrom(INDEX, href),
        label,
      })),
    }))
}

/** @param labels the names of pages by path */
function documentFrom(name: string, markdown: string, labels: ReadonlyMap<string, string>, weight: number): Document {
  const path = pageOf(name)
  const sections = sectionsOf(path, markdown, weight)
  const ids = sections.values()
  let target = ''
  const html = new HTMLRewriter()
    .on('h1, h2, h3, h4, h5, h6', {
      element(heading) {
        heading.setAttribute('id', ids.next().value!.id)
      },
    })
    .on('a', {
      element(link) {
        target = linkFrom(name, link.getAttribute('href')!)
        link.setAttribute('href', target)
      },
      // The name of a file says nothing in a browser.
      text(chunk) {
        const label = chunk.text.endsWith('.md') ? labels.get(target.replace(/#.*/, '')) : undefined
        if (label !== undefined) chunk.replace(label)
      },
    })
    // Focusable, so that the keyboard can scroll it.
    .on('table', wrappedIn('<div class="scroll" role="group" aria-label="Table" tabindex="0">'))
    .on('pre', wrappedIn(`<div class="code">${COPY_SLOT}`))
    .transform(Bun.markdown.html(markdown, { noHtmlBlocks: true, noHtmlSpans: true }))
  const { title, text } = sections[0]!
  const description = text.slice(0, MAX_DESCRIPTION_CHARACTERS) || title
  const contents = sections
    .filter(({ level }) => level === 2)
    .map((section) => ({ id: section.id, title: section.title }))
  return { path, title, description, contents, html, sections }
}

const wrappedIn = (start: string): HTMLRewriterTypes.HTMLRewriterElementContentHandlers => ({
  element(element) {
    element.before(start, { html: true })
    element.after('</div>', { html: true })
  },
})

/** Control characters, which no document contains. */
const [HEADING, FIELD] = ['\u001E', '\u001F']

const line = (text: string): string => `${text}\n`

function sectionsOf(path: string, markdown: string, weight: number): DocumentSection[] {
  const plain = Bun.markdown.render(markdown, {
    heading: (title, { level }) => [HEADING, title, FIELD, level, FIELD].join(''),
    paragraph: line,
    listItem: line,
    code: line,
    th: line,
    td: line,
  })
  const parts = plain.split(HEADING).slice(1)
  const [page] = parts[0]!.split(FIELD)
  return parts.map((part) => {
    const [title = '', levelText, content = ''] = part.split(FIELD)
    const [id, level] = [anchorOf(title), Number(levelText)]
    const label = level === 1 ? title : `${page}: ${title}`
    const text = content.replaceAll(/\s+/g, ' ').trim()
    return {
      id,
      title,
      href: level === 1 ? path : `${path}#${id}`,
      label,
      level,
      text,
      titleWords: wordsOf(label),
      words: wordsOf(`${label} ${text}`),
      weight,
    }
  })
}

/** As on GitHub. Bun removes underscores, too. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** The words in lower case between spaces, so that `includes(' rate')` finds those that begin with `rate`. */
const wordsOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

/** The index in the format of https://llmstxt.org. Its links lead to Markdown, and have a host for those who have no URL of the index. */
function llmsText(index: string): string {
  const start = index.indexOf('\n## ')
  const lists = index.slice(start).replaceAll(/\]\(([^)]+)\)/g, (_, href: string) => {
    const target = posix.join('docs', href.replace(/#.*/, ''))
    return `](${/^docs\/[\w/-]+\.md$/.test(target) ? `${EXAMPLE_SERVER}/${target}` : linkFrom(INDEX, href)})`
  })
  return `${LLMS_START}${lists}`
}
