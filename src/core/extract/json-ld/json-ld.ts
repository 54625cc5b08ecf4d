import { decodeHTMLAttribute } from 'entities/decode'

import { firstOf } from '../../first-of.ts'
import { isRecord } from '../../json.ts'
import type { Normalize } from '../reading/normalize.ts'
import { type IsPageAddress, type JsonLdNode, nodesOf } from './json-ld-nodes.ts'

/** The maximum number of members of a list to read. More names would be truncated. Of other values, only one is used. */
const MAX_MEMBERS = 20

/** The maximum number of characters to read from a text, three times the maximum length of a returned value. */
const MAX_TEXT_LENGTH = 16_384

/** JSON-LD of a page: https://schema.org, https://www.w3.org/TR/json-ld11/ */
export class JsonLd {
  readonly #nodes: ReturnType<typeof nodesOf>

  /** @param blocks the page's JSON-LD scripts, parsed */
  constructor(blocks: readonly unknown[], isOwn: IsPageAddress) {
    this.#nodes = nodesOf(blocks, isOwn)
  }

  /** Whether the page lists articles, and is about none. */
  get isList(): boolean {
    return this.#nodes.isList
  }

  /** Whether the page is about one product, and about no article. */
  get isProduct(): boolean {
    return this.#nodes.isProduct
  }

  /** A text property of the first subject that has it. */
  text(property: string, normalize: Normalize): string | undefined {
    return this.#first(property, (value) => firstText(value, normalize))
  }

  /** A time of the first subject that has it; some pages write it as a number of seconds or milliseconds. */
  time(property: string, normalize: Normalize): string | undefined {
    const read = (value: unknown) => firstText(typeof value === 'number' ? timeOf(value) : value, normalize)
    return this.#first(property, read, this.#nodes.dated)
  }

  /** The image of the first subject that has one. */
  image(normalize: Normalize): string | undefined {
    const images = this.#reader(['url', 'contentUrl'], normalize)
    const image = (value: unknown) => images(value) ?? firstText(imageId(value), normalize)
    return this.#first('image', (value) => firstOf(listOf(value), image)) ?? this.text('thumbnailUrl', normalize)
  }

  /** The publisher's name, from the first subject that has one, or else from the first other node. */
  publisher(normalize: Normalize): string | undefined {
    return this.names('publisher', normalize) ?? this.names('publisher', normalize, this.#nodes.all)
  }

  webSite(normalize: Normalize): string | undefined {
    return firstText(this.#nodes.webSite?.['name'], normalize)
  }

  #first(property: string, normalize: (value: unknown) => string | undefined, nodes = this.#nodes.subjects) {
    return firstOf(nodes, ({ [property]: value }) => (value === undefined ? undefined : normalize(value)))
  }

  /** The names of people or organizations in a property of the first node that has any, joined with commas. */
  names(property: string, normalize: Normalize, nodes = this.#nodes.subjects): string | undefined {
    const read = this.#reader(['name'], normalize)
    const namesIn = (value: unknown) => {
      const names = new Set(listOf(value).flatMap((one) => withEachName(one).flatMap((name) => read(name) ?? [])))
      return names.size === 0 ? undefined : normalize([...names].join(', '))
    }
    return this.#first(property, namesIn, nodes)
  }

  /**
   * Reads a text, or the first of `properties` of a node or of other nodes with its `@id`. The nodes of an id are read
   * once, even if they are referenced repeatedly, so the time is linear in the size of the page.
   */
  #reader(properties: readonly string[], normalize: Normalize): (value: unknown) => string | undefined {
    const known = new Map<string, string | undefined>()
    const ofNode = (node: JsonLdNode) =>
      firstOf(properties, (property) => firstText(spokenName(node, property) ?? node[property], normalize))
    const ofId = (id: string) => {
      if (!known.has(id)) known.set(id, firstOf(this.#nodes.byId.get(id) ?? [], ofNode))
      return known.get(id)
    }
    return (value) => {
      const text = firstText(value, normalize)
      if (text !== undefined || !isRecord(value)) return text
      const id = value['@id']
      return ofNode(value) ?? (typeof id === 'string' ? ofId(id) : undefined)
    }
  }
}

/** "Jo Doe" for a person whose name is "Doe, Jo", as in catalogs, or who has only a given and a family name. */
function spokenName({ name, givenName, familyName }: JsonLdNode, property: string): string | undefined {
  if (property !== 'name' || typeof givenName !== 'string' || typeof familyName !== 'string') return undefined
  return name === undefined || name === `${familyName}, ${givenName}` ? `${givenName} ${familyName}` : undefined
}

/** A node with several names stands for several people. */
function withEachName(value: unknown): readonly unknown[] {
  return isRecord(value) && Array.isArray(value['name']) ? value['name'].slice(0, MAX_MEMBERS) : [value]
}

/** Ten digits are seconds since 1970, thirteen are milliseconds. */
function timeOf(value: number): string | undefined {
  const ms = value < 1e11 ? value * 1_000 : value
  return ms >= 1e11 && ms < 1e13 ? new Date(ms).toISOString() : undefined
}

/** An image's id if it is a URL. An id with a fragment is a name within the page. */
function imageId(value: unknown): string | undefined {
  const id = isRecord(value) ? value['@id'] : undefined
  return typeof id === 'string' && /^https?:[^#]+$/i.test(id) ? id : undefined
}

/** The first acceptable text of a value: a string, a value object, or a list of these. */
function firstText(value: unknown, normalize: Normalize): string | undefined {
  return firstOf(listOf(value), (item) => {
    const text = isRecord(item) ? item['@value'] : item
    if (typeof text !== 'string') return undefined
    return normalize(decodeHTMLAttribute(text.slice(0, MAX_TEXT_LENGTH)).toWellFormed())
  })
}

/** The members of a list or list object; any other value is a list of one. */
function listOf(value: unknown): readonly unknown[] {
  const list = isRecord(value) && '@list' in value ? value['@list'] : value
  if (Array.isArray(list)) return list.slice(0, MAX_MEMBERS)
  return list === undefined ? [] : [list]
}
