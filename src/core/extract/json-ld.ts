import { decodeHTML } from 'entities/decode'

import type { Accept } from './accept.ts'
import { type IsOwnAddress, isRecord, type JsonLdNode, nodesOf } from './json-ld-nodes.ts'
import { parseJsonLd } from './json-ld-text.ts'

/** Members of a list that are looked at: names are joined and cut soon after, of the others one is taken. */
const MAX_MEMBERS = 20

/** Characters of a text that are looked at: three times as many as are returned of the longest. */
const MAX_TEXT_LENGTH = 16_384

/** What a page says in schema.org terms: https://schema.org, https://www.w3.org/TR/json-ld11/ */
export class JsonLd {
  /** The page's main entity first, then the page itself. */
  readonly #subjects: readonly JsonLdNode[]
  readonly #webSite: JsonLdNode | undefined
  readonly #byId: ReadonlyMap<string, readonly JsonLdNode[]>

  /** @param scripts the texts of the page's JSON-LD scripts */
  constructor(scripts: readonly string[], isOwn: IsOwnAddress) {
    const { subjects, webSite, byId } = nodesOf(parseJsonLd(scripts), isOwn)
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
    const images = this.#reader(['url', 'contentUrl'], accept)
    const image = (value: unknown) => {
      const accepted = images(value)
      return accepted ?? acceptText(imageId(value), accept)
    }
    return this.#first('image', (value) => firstOf(listOf(value), image)) ?? this.text('thumbnailUrl', accept)
  }

  /** The authors' names, joined with commas. */
  author(accept: Accept): string | undefined {
    return this.#names('author', accept)
  }

  /** Name of who publishes the first subject that says it. */
  publisher(accept: Accept): string | undefined {
    return this.#names('publisher', accept)
  }

  /** Name of the web site. */
  webSite(accept: Accept): string | undefined {
    return acceptText(this.#webSite?.['name'], accept)
  }

  #first(property: string, accept: (value: unknown) => string | undefined): string | undefined {
    return firstOf(this.#subjects, (subject) => accept(subject[property]))
  }

  #names(property: string, accept: Accept): string | undefined {
    const read = this.#reader(['name'], accept)
    return this.#first(property, (value) => {
      const names = new Set(
        listOf(value)
          .map(read)
          .filter((name) => name !== undefined),
      )
      return names.size === 0 ? undefined : accept([...names].join(', '))
    })
  }

  /**
   * Reads a text, or the first of some properties of a node and then of what else the page says of the thing with its
   * `@id`. That is looked at once however often it is referred to, so that the time stays in proportion to the page.
   */
  #reader(properties: readonly string[], accept: Accept): (value: unknown) => string | undefined {
    const known = new Map<string, string | undefined>()
    const ofNode = (node: JsonLdNode) => firstOf(properties, (property) => acceptText(node[property], accept))
    const ofId = (id: string) => {
      if (!known.has(id)) known.set(id, firstOf(this.#byId.get(id) ?? [], ofNode))
      return known.get(id)
    }
    return (value) => {
      const text = acceptText(value, accept)
      if (text !== undefined || !isRecord(value)) return text
      const id = value['@id']
      return ofNode(value) ?? (typeof id === 'string' ? ofId(id) : undefined)
    }
  }
}

/** An image's id when it is its address: those with a fragment are names within a page. */
function imageId(value: unknown): string | undefined {
  const id = isRecord(value) ? value['@id'] : undefined
  return typeof id === 'string' && /^https?:[^#]+$/i.test(id) ? id : undefined
}

/** The first accepted text of a value: a string, a value object, or a list of these. */
function acceptText(value: unknown, accept: Accept): string | undefined {
  return firstOf(listOf(value), (item) => {
    const text = isRecord(item) ? item['@value'] : item
    return typeof text === 'string' ? accept(decodeHTML(text.slice(0, MAX_TEXT_LENGTH)).toWellFormed()) : undefined
  })
}

/** The members of a list, of a list object, or of the list that a single value is. */
function listOf(value: unknown): readonly unknown[] {
  const list = isRecord(value) && '@list' in value ? value['@list'] : value
  if (Array.isArray(list)) return list.slice(0, MAX_MEMBERS)
  return list === undefined ? [] : [list]
}

function firstOf<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
