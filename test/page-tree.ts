import { type HTMLElement, parse } from 'node-html-parser'

/** A page as a tree that can be queried by selectors. Unlike by default, the content of `pre` is parsed too. */
export function pageTree(html: string): HTMLElement {
  return parse(html, { blockTextElements: { script: true, style: true } })
}

/** A required attribute. @throws when it is missing */
export function attributeIn(element: HTMLElement | null, name: string): string {
  const value = element?.getAttribute(name)
  if (value === undefined) throw new Error(`The page has no such element, or it has no ${name}`)
  return value
}
