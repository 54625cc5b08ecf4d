import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { ASSETS } from '../../views/assets.ts'
import { pageTree } from '../page-tree.ts'
import { elementsOf, faultsOf } from './markup.ts'
import { replaced } from './replaced.ts'
import { SAMPLES } from './samples.tsx'

/** HTML and style sheet together before compression, to load fast on a slow connection. */
const MAX_BYTES = 70_000

/** Closes attributes, elements and scripts, and becomes markup when unescaped twice. */
const HOSTILE = `"'></title></script><script>alert(1)</script><img src=x onerror=alert(1)>&lt;b&gt;`

/** The only scripts that pages load. */
const SCRIPTS: readonly string[] = [ASSETS['/script.js'].href, ASSETS['/card.js'].href]

/** The only image that is not of a fetched page. */
const SOCIAL_IMAGE = ASSETS['/social-image.png'].href

/** Attributes that link or load. */
const ADDRESS_ATTRIBUTES = ['href', 'src', 'action', 'formaction', 'xlink:href']

/** Forbidden content: inline scripts and styles, and URLs that are neither local nor http(s). */
function dangersOf(html: string): string[] {
  return elementsOf(html).flatMap(({ tag, attributes, text }) => [
    ...(tag === 'script' && (!SCRIPTS.includes(attributes['src'] ?? '') || text !== '') ? [`script ${text}`] : []),
    ...(['style', 'iframe', 'object', 'embed', 'base'].includes(tag) ? [tag] : []),
    ...(tag === 'img' && !isOwnImage(attributes['src'] ?? '') ? [`img ${attributes['src']}`] : []),
    ...Object.keys(attributes).filter((name) => name === 'style' || name.startsWith('on')),
    ...ADDRESS_ATTRIBUTES.flatMap((name) => attributes[name] ?? []).filter(
      (address) => !/^(?:https?:\/\/|#|\/(?![/\\]))/.test(address) && !isCanonicalOf(tag, attributes),
    ),
  ])
}

/** Images are proxied, or the one of the landing page. */
const isOwnImage = (src: string) => src.startsWith('/playground/image?') || src === SOCIAL_IMAGE

/** The canonical address begins with the operator's own base URL, which the hostile props replace as well. */
function isCanonicalOf(tag: string, { rel }: Record<string, string>): boolean {
  return tag === 'link' && rel === 'canonical'
}

describe.each(SAMPLES.map((sample) => [sample.name, sample] as const))('%s', (_, sample) => {
  const html = sample.draw()
  const elements = elementsOf(html)

  test('is valid HTML', () => expect(faultsOf(html)).toEqual([]))

  test('has no inline code and links only to this server and the web', () => expect(dangersOf(html)).toEqual([]))

  test('escapes markup in every text', () => {
    const attacked = sample.draw((props) => replaced(props, HOSTILE))
    expect(dangersOf(attacked)).toEqual([])
    expect(faultsOf(attacked)).toEqual([])
    const isActive = ({ tag, attributes }: (typeof elements)[number], withProxied: boolean) =>
      tag === 'b' || tag === 'script' || (tag === 'img' && (withProxied || attributes['src'] === SOCIAL_IMAGE))
    expect(elementsOf(attacked).filter((element) => isActive(element, true))).toHaveLength(
      elements.filter((element) => isActive(element, false)).length,
    )
  })

  test('drops javascript: URLs', () => {
    const address = 'javascript:alert(1)'
    expect(dangersOf(sample.draw((props) => replaced(props, address)))).toEqual([])
  })

  test('is small', () => {
    const bytes = Buffer.byteLength(html) + Buffer.byteLength(ASSETS['/style.css'].content)
    expect(bytes).toBeLessThan(MAX_BYTES)
  })

  test('has one main heading, one main landmark and a skip link', () => {
    const count = (tag: string) => elements.filter((element) => element.tag === tag).length
    expect([count('h1'), count('main')]).toEqual([1, 1])
    expect(elements.find(({ attributes }) => attributes['class'] === 'skip')?.attributes['href']).toBe('#main')
  })

  test('has no duplicate ids', () => {
    const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? [])
    expect(ids).toEqual([...new Set(ids)])
  })

  test('has the metadata that urlmeta extracts', () => {
    const property = (name: string) => elements.find(({ attributes }) => attributes['property'] === name)?.attributes
    expect(property('og:title')?.['content']).toMatch(/urlmeta/)
    expect(property('og:description')?.['content']).toMatch(/\S/)
    expect(property('og:url')?.['content']).toStartWith('https://meta.example/')
    expect(property('og:image')?.['content']).toBe(`https://meta.example${ASSETS['/social-image.png'].href}`)
  })

  test('sends the CSRF token with every form that changes something', () => {
    const page = pageTree(html)
    const isSignedIn = page.querySelector('form[action="/sign-out"]') !== null
    for (const form of page.querySelectorAll('form[method="post"]')) {
      expect(form.querySelectorAll('input[name="csrf"]')).toHaveLength(isSignedIn ? 1 : 0)
    }
  })
})

test('every icon that a page uses exists, and every icon is used', () => {
  const html = SAMPLES.map((sample) => sample.draw()).join('')
  const used = new Set([...html.matchAll(/"\/icons\.svg\?v=\w+#([\w-]+)"/g)].map(([, name]) => name!))
  const drawn = [...ASSETS['/icons.svg'].content.matchAll(/<symbol id="([\w-]+)"/g)].map(([, name]) => name!)
  expect([...used].toSorted()).toEqual(drawn.toSorted())
})

test('every page has a sample', async () => {
  const views = join(import.meta.dir, '../../views')
  const sources = await Promise.all(
    [...new Bun.Glob('**/*.tsx').scanSync(views)].map((path) => Bun.file(join(views, path)).text()),
  )
  const pages = sources.flatMap((source) =>
    [...source.matchAll(/^export function (\w+Page)\(/gm)].map(([, name]) => name!),
  )
  const samples = await Bun.file(join(import.meta.dir, 'samples.tsx')).text()
  expect(pages.length).toBeGreaterThan(10)
  expect(pages.filter((name) => !samples.includes(`, ${name}, `))).toEqual([])
})
