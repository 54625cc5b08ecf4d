import { attributeIn } from '../page-tree.ts'
import type { Visited } from './browser.ts'

/** The value of a form field on the page, including hidden ones. @throws when there is none */
export function fieldIn({ document }: Visited, name: string): string {
  return attributeIn(document.querySelector(`input[name="${name}"]`), 'value')
}

/** The new key on the page; null when there is none. */
export function newKeyIn({ document }: Visited): string | null {
  return document.querySelector('.created code')?.text ?? null
}

/** Ids of the keys that can be deactivated on the page. */
export function keyIdsIn({ document }: Visited): string[] {
  const forms = document.querySelectorAll('form[action$="/deactivate"]')
  return forms.map((form) => attributeIn(form, 'action').split('/').at(-2)!)
}

/** Ids of the sessions that can be ended individually on the page. */
export function sessionIdsIn({ document }: Visited): string[] {
  const forms = document.querySelectorAll('form[action$="/revoke"]')
  return forms.map((form) => attributeIn(form, 'action').split('/').at(-2)!)
}
