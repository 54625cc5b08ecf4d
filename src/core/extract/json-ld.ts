import { decodeHTML } from 'entities/decode'

import type { Accept } from './accept.ts'
import { isRecord, type JsonLdNode, nodesOf } from './json-ld-nodes.ts'
import { parseJsonLd } from './json-ld-text.ts'

/** Names of a list that are joined; the field is cut soon after anyway. */
const MAX_NAMES = 20

/** Characters of a text that are looked at; far above every cap on what is returned. */
const MAX_TEXT_LENGTH = 65_536

/** What a page says in schema.org terms: https://schema.org, https://www.w3.org/TR/json-ld11/ */
export class JsonLd {
  /** The page's main entity first, then the page itself. */
  readonly #subjects: readonly JsonLdNode[]
  readonly #webSite: JsonLdNode | undefined
  readonly #byId: ReadonlyMap<string, JsonLdNode>

  /** @param blocks the texts of the page's JSON-LD scripts */
  constructor(blocks: readonly string[]) {
    const { subjects, webSite, byId } = nodesOf(blocks.map(parseJsonLd))
    this.#subjects = subjects
    this.#webSite = webSite
    this.#byId = byId
  }

  /** A property that holds text, of the first subject that has it. */
  text(property: string, accept: Accept): string | undefined {
    return this.#first(property, (value) => acceptText(value, accept))
  }

  /** The image of the first subject that has one. */
  image(accept: Accept): string | undefined {
    return this.#first('image', (value) => this.#acceptImage(value, accept)) ?? this.text('thumbnailUrl', accept)
  }

  /** The authors' names, joined with commas. */
  author(accept: Accept): string | undefined {
    return this.#first('author', (value) => this.#acceptNames(value, accept))
  }

  /** Name of who publishes the first subject that says it. */
  publisher(accept: Accept): string | undefined {
    return this.#first('publisher', (value) => this.#acceptNames(value, accept))
  }

  /** Name of the web site. */
  webSite(accept: Accept): string | undefined {
    return acceptText(this.#webSite?.['name'], accept)
  }

  #first(property: string, accept: (value: unknown) => string | undefined): string | undefined {
    for (const subject of this.#subjects) {
      const value = accept(subject[property])
      if (value !== undefined) return value
    }
    return undefined
  }

  #acceptImage(value: unknown, accept: Accept): string | undefined {
    for (const image of listOf(value)) {
      const node = this.#resolved(image)
      const accepted = isRecord(node)
        ? (acceptText(node['url'], accept) ?? acceptText(node['contentUrl'], accept))
        : acceptText(node, accept)
      if (accepted !== undefined) return accepted
    }
    return undefined
  }

  #acceptNames(value: unknown, accept: Accept): string | undefined {
    const names: string[] = []
    for (const item of listOf(value).slice(0, MAX_NAMES)) {
      const node = this.#resolved(item)
      const name = acceptText(isRecord(node) ? node['name'] : node, accept)
      if (name !== undefined && !names.includes(name)) names.push(name)
    }
    return names.length === 0 ? undefined : accept(names.join(', '))
  }

  /** What a node that is only `{"@id": …}` refers to. */
  #resolved(value: unknown): unknown {
    if (!isRecord(value)) return value
    const id = value['@id']
    return typeof id === 'string' ? (this.#byId.get(id) ?? value) : value
  }
}

/** The first accepted text of a value: a string, a value object, or a list of these. */
function acceptText(value: unknown, accept: Accept): string | undefined {
  for (const item of listOf(value)) {
    const text = isRecord(item) ? item['@value'] : item
    if (typeof text !== 'string') continue
    const accepted = accept(decodeHTML(text.slice(0, MAX_TEXT_LENGTH)).toWellFormed())
    if (accepted !== undefined) return accepted
  }
  return undefined
}

/** The members of a list, of a list object, or of the list that a single value is. */
function listOf(value: unknown): readonly unknown[] {
  const list = isRecord(value) && '@list' in value ? value['@list'] : value
  if (Array.isArray(list)) return list
  return list === undefined ? [] : [list]
}
