import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { EXAMPLE_SERVER } from '../documents.ts'
import { homepage } from '../package.json'
import { searchDocuments } from '../src/http/pages/doc-search.ts'
import { DOCUMENTATION } from '../views/docs/documents.ts'
import { pageTree } from './page-tree.ts'
import { elementsOf, faultsOf } from './views/markup.ts'

const { groups, documents, files } = DOCUMENTATION
const ROOT = join(import.meta.dir, '..')
const IN_REPOSITORY = `${homepage}/blob/main/`

/** Whether a link leads to a page and a heading of the documentation, to a file of it, or to a file of the repository. */
function isTarget(from: string, href: string): boolean {
  if (href.startsWith(IN_REPOSITORY)) return existsSync(join(ROOT, href.slice(IN_REPOSITORY.length).replace(/#.*/, '')))
  if (/^https?:/.test(href)) return true
  const [path, anchor] = href.split('#')
  const target = path === '' ? from : path
  const document = documents.find((one) => one.path === target)
  if (anchor === undefined) return target === '/docs' || document !== undefined || Object.hasOwn(files, target!)
  return document?.sections.some(({ id }) => id === anchor) ?? false
}

describe.each(documents.map((document) => [document.path, document] as const))('%s', (path, { html, sections }) => {
  const elements = elementsOf(html)

  test('is valid HTML without scripts and images', () => {
    expect(faultsOf(`<title>t</title>${html}`)).toEqual([])
    expect(elements.filter(({ tag }) => ['script', 'style', 'img', 'iframe', 'form'].includes(tag))).toEqual([])
  })

  test('has one title, and links that lead somewhere', () => {
    expect(elements.filter(({ tag }) => tag === 'h1')).toHaveLength(1)
    const links = elements.filter(({ tag }) => tag === 'a').map(({ attributes }) => attributes['href']!)
    expect(links.filter((href) => !isTarget(path, href))).toEqual([])
  })

  test('names pages by their titles', () => {
    const names = elements.filter(({ tag }) => tag === 'a').map(({ text }) => text)
    expect(names.filter((text) => text.endsWith('.md') && text !== 'SECURITY.md')).toEqual([])
  })

  test('has a unique anchor for each heading', () => {
    const ids = elements.filter(({ tag }) => /^h[1-6]$/.test(tag)).map(({ attributes }) => attributes['id']!)
    expect(ids).toEqual(sections.map(({ id }) => id))
    expect(ids).toEqual([...new Set(ids)])
  })

  test('has tables that the keyboard can scroll, and code that can be copied', () => {
    for (const table of pageTree(html).querySelectorAll('table')) {
      expect(table.parentNode?.getAttribute('tabindex')).toBe('0')
    }
    const countOf = (pattern: RegExp) => [...html.matchAll(pattern)].length
    expect(countOf(/<div class="code"><!--copy--><pre>/g)).toBe(countOf(/<pre>/g))
  })
})

test('users, operators and developers have their own lists, with every page in one of them', () => {
  expect(groups.map(({ title }) => title)).toEqual(['Use the API', 'Run a server', 'How it is made'])
  const pages = groups.flatMap((group) => group.pages.map(({ path }) => path))
  expect(pages).toContain('/docs/api#ai-agents-the-model-context-protocol')
  expect(documents.map(({ path }) => path).filter((path) => !pages.includes(path))).toEqual([])
  expect(pages.filter((path) => !isTarget('/docs', path))).toEqual([])
})

test('/llms.txt links to the pages as Markdown, and /llms-full.txt has those for users and operators', () => {
  const links = [...files['/llms.txt']!.matchAll(/\]\(([^)]+)\)/g)].map(([, href]) => href!)
  expect(links).toContain(`${EXAMPLE_SERVER}/docs/api.md`)
  const own = links.filter((href) => !href.startsWith(homepage)).map((href) => href.replace(EXAMPLE_SERVER, ''))
  expect(own.filter((path) => !Object.hasOwn(files, path))).toEqual(['/openapi.json'])
  expect(files['/llms-full.txt']).toContain('\n# Webhooks\n')
  expect(files['/llms-full.txt']).not.toContain('\n# Decisions\n')
})

describe('search', () => {
  const search = (query: string) => searchDocuments(documents, query)

  test.each([
    ['a higher limit for one user', '/docs/limits#a-higher-limit-for-one-user'],
    ['call it from React', '/docs/cards#call-it-from-react'],
    ['what does rendering cost', '/docs/headless#what-rendering-costs'],
    ['cookie wall', '/docs/sites#walls'],
    ['verify webhook', '/docs/webhooks#verify-a-message'],
    ['BACKUP', '/docs/backup'],
    ['X-RateLimit-Remaining', '/docs/api#response'],
    ['how do I rotate a key?', '/docs/dashboard#keys'],
    ['nginx', '/docs/reverse-proxy'],
    ['image not shown', '/docs/link-previews#why-an-image-is-not-shown'],
    ['why is my image not shown on Discord', '/docs/link-previews#why-an-image-is-not-shown'],
    ['check my site in a pull request', '/docs/check#github-actions'],
  ])('%s', (query, expected) => {
    expect(
      search(query)
        .slice(0, 3)
        .map(({ href }) => href),
    ).toContain(expected)
  })

  test.each([
    'why does my key not work',
    'why did my key stop working',
    'my API key stopped working',
    'API key not working since yesterday',
    'why is my key rejected',
    'Invalid API key',
    'requests get 401',
    'key expired, what now?',
    'how do I renew an expired key',
    'I lost my API key',
    'is my key still valid?',
  ])('%s', (query) =>
    expect(search(query)[0]?.href).toBe('/docs/dashboard#why-a-key-does-not-work-401-invalid-api-key'),
  )

  test.each(['agent', 'an agent should read pages', 'AI', 'LLM', 'Claude', 'mcp', 'Model Context Protocol'])(
    '%s',
    (query) => expect(search(query)[0]?.href).toBe('/docs/api#ai-agents-the-model-context-protocol'),
  )

  test.each([
    ['no words', '', 0],
    ['only common words', 'how is it', 0],
    ['signs', '<>"\'&%_*(', 0],
    ['an unknown word', 'zzzzzz', 0],
    ['a word of most sections', 'page', 20],
  ])('%s', (_, query, count) => expect(search(query)).toHaveLength(count))

  test('a word beyond the maximum is ignored', () => {
    const words = Array.from({ length: 8 }, (_, i) => `zz${i}`).join(' ')
    expect(search(words.replace('zz7', 'backup'))).not.toEqual([])
    expect(search(`${words} backup`)).toEqual([])
    expect(search(`${' '.repeat(94)}backup`)).not.toEqual([])
    expect(search(`${' '.repeat(100)}backup`)).toEqual([])
  })

  test('a result has the text around a word', () => {
    const [{ excerpt } = { excerpt: '' }] = search('pgbouncer')
    expect(excerpt).toMatch(/pgbouncer/i)
    expect(excerpt.length).toBeLessThan(210)
  })
})
