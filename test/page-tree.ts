import { type HTMLElement, parse } from 'node-html-parser'

/** A page as a tree, to be asked with selectors. What is in a `pre` is parsed too, unlike by default. */
export function pageTree(html: string): HTMLElement {
  return parse(html, { blockTextElements: { script: true, style: true } })
}

/** An attribute that has to be there. @throws when it is not */
export function attributeIn(element: HTMLElement | null, name: string): string {
  const value = element?.getAttribute(name)
  if (value === undefined) throw new Error(`The page has no such element, or it has no ${name}`)
  return value
}
