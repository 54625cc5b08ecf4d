import { describe, expect, test } from 'bun:test'

import { EmbedTab } from '../../views/playground/embed-tab.tsx'
import { pageTree } from '../page-tree.ts'
import { playground } from './samples.tsx'

const { outcome: sample } = playground

/** The tab of a result with this URL. */
function tabOf(url: string) {
  const request = { baseUrl: 'https://meta.example', url, timeoutMs: null, isFresh: false }
  const outcome = { ...sample, response: { ...sample.response, url, title: `</url-card>"'&lt;` } }
  return pageTree((<EmbedTab csrf="" outcome={outcome} request={request} />) as string)
}

/** The code of each framework, as a reader copies it. */
const codesOf = (url: string) =>
  tabOf(url)
    .querySelectorAll('pre code')
    .map(({ text }) => text)

describe.each([
  ['a query', 'https://example.com/a?b=1&copy=2&amp;c'],
  ['quotes', `https://example.com/"it's"?q="><script>alert(1)</script>`],
  ['Unicode', 'https://müller.example/straße?日本=語🙂'],
  ['braces, which begin an expression in Svelte', 'https://example.com/?q={alert(1)}&r={{x}}'],
])('the code for a URL with %s', (_, url) => {
  test('has the URL as text in HTML, React, Vue and Svelte', () => {
    const codes = codesOf(url)
    expect(codes).toHaveLength(4)
    for (const code of codes) {
      const markup = code.slice(code.indexOf('<url-card'))
      expect(pageTree(markup).querySelector('url-card')!.getAttribute('href')).toBe(url)
      expect(/href="([^"]*)"/.exec(markup)![1]).not.toMatch(/[{}<>]/)
      expect(code).toContain('https://meta.example/card.js')
    }
  })

  test('has the URL in compiled JSX', () => {
    const react = codesOf(url)[1]!
    const transpiler = new Bun.Transpiler({
      loader: 'jsx',
      tsconfig: { compilerOptions: { jsx: 'react', jsxFactory: 'h' } },
    })
    const [, props] = /h\("url-card", (\{[^]*?\})\)/.exec(transpiler.transformSync(react))!
    // The compiler writes an object with literals only.
    expect((Function(`return ${props}`) as () => { href: string })().href).toBe(url)
  })

  test('is beside its card, and a link without scripts', () => {
    const card = tabOf(url).querySelector('url-card')!
    expect([card.getAttribute('href'), card.querySelector('a')!.getAttribute('href')]).toEqual([
      new URL(url).href,
      new URL(url).href,
    ])
    expect(JSON.parse(card.getAttribute('data-metadata')!)).toMatchObject({
      title: `</url-card>"'&lt;`,
      image: sample.images.image,
    })
  })
})

test('a long URL is replaced in the code, and kept on the card', () => {
  const url = `https://example.com/${'a'.repeat(500)}`
  expect(codesOf(url).every((code) => code.includes('"https://example.com/article"'))).toBe(true)
  expect(tabOf(url).querySelector('url-card')!.getAttribute('href')).toBe(url)
})
