import { isRecord } from '../../json.ts'
import { append } from '../reading/append.ts'
import { memoized } from '../../memoized.ts'
import { subjectClassOf, SUBJECT_CLASSES, type SubjectClass, typeNames } from './subject-class.ts'

export type JsonLdNode = Record<string, unknown>

/** Whether an address is the page's own; undefined when that is unknown. */
export type IsPageAddress = (address: string) => boolean | undefined

/** The maximum nesting of lists, graphs and main entities to follow. Real pages have two or three levels. */
const MAX_DEPTH = 6

/** The maximum number of nodes to read. The largest real graphs have a few hundred. */
const MAX_NODES = 2_000

/** The maximum number of nodes of a class to search for the page's own node. Lists have a few dozen teasers. */
const MAX_TEASERS = 200

/** The maximum number of nodes to read for one id. */
const MAX_PARTS = 8

/** A node and its relation to the node that contains it. */
interface Member {
  node: JsonLdNode
  types: readonly string[]
  /** The types of the node whose main entity this is; null when it is not a main entity. */
  mainOf: readonly string[] | null
}

const nodeOf = ({ node }: Member) => node

/** Types of pages with teasers of articles. */
const LISTS = ['CollectionPage', 'SearchResultsPage']

/** Types that name a product, and no other work. */
const PRODUCTS = ['Product', 'ProductGroup', 'ProductModel', 'IndividualProduct']

/** @param blocks the parsed JSON-LD scripts of a page */
export function nodesOf(blocks: readonly unknown[], isOwn: IsPageAddress) {
  const { found, ...nodes } = nodesIn(blocks)
  const subjects = subjectsOf(found, isOwn)
  // The times of a profile are those of the account.
  const dated = subjects.filter(({ types }) => !types.includes('ProfilePage'))
  return { ...nodes, subjects: subjects.map(nodeOf), dated: dated.map(nodeOf) }
}

/** Memoized, because the same blocks are read several times while a page arrives. */
const nodesIn = memoized((blocks: readonly unknown[]) => {
  const members = collected(blocks)
  /** Nodes by `@id`. Several nodes can describe the same thing. */
  const byId = new Map<string, JsonLdNode[]>()
  const found = new Map<SubjectClass, Member[]>()
  let webSite: JsonLdNode | undefined
  for (const member of members) {
    const { node, types } = member
    const id = node['@id']
    if (typeof id === 'string') append(byId, id, node, MAX_PARTS)
    if (types.includes('WebSite')) webSite ??= node
    const subjectClass = classOf(member)
    if (subjectClass !== undefined) append(found, subjectClass, member, MAX_NODES)
  }
  return { found, webSite, all: members.map(nodeOf), byId, ...pageKindOf(members, found) }
})

/** Whether the page is a list of articles or a product, and about no article or other work. */
function pageKindOf(members: readonly Member[], found: ReadonlyMap<SubjectClass, readonly Member[]>) {
  if (found.has('article')) return { isList: false, isProduct: false }
  const isBlog = ({ node }: Member) => 'blogPost' in node || 'blogPosts' in node
  const works = (found.get('work') ?? []).filter((member) => !isBlog(member))
  const lists = (member: Member) => isBlog(member) || member.types.some((type) => LISTS.includes(type))
  return {
    isList: works.length === 0 && members.some(lists),
    isProduct: works.length === 1 && works[0]!.types.every((type) => PRODUCTS.includes(type)),
  }
}

/** Top-level nodes, members of graphs and main entities, in document order. */
function collected(blocks: readonly unknown[]): Member[] {
  const members: Member[] = []
  const visit = (value: unknown, depth: number, mainOf: readonly string[] | null) => {
    if (depth > MAX_DEPTH || members.length >= MAX_NODES) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_NODES)) visit(item, depth + 1, mainOf)
    } else if (isRecord(value)) {
      const types = typeNames([value['@type']].flat())
      if (!('@graph' in value) || '@type' in value) members.push({ node: value, types, mainOf })
      visit(value['@graph'], depth + 1, null)
      visit(value['mainEntity'], depth + 1, types)
      visit(value['mainEntityOfPage'], depth + 1, null)
    }
  }
  for (const block of blocks) visit(block, 0, null)
  return members
}

function classOf({ node, types, mainOf }: Member): SubjectClass | undefined {
  // A node with only an id is a reference.
  if (node['@type'] === undefined) return Object.keys(node).every((key) => key === '@id') ? undefined : 'untyped'
  if (types.includes('Person') && mainOf?.includes('ProfilePage')) return 'work'
  const subjectClass = subjectClassOf(types)
  // A question page is about its question; an FAQ page lists several questions.
  if (subjectClass === 'question') return mainOf !== null && !mainOf.includes('FAQPage') ? 'question' : undefined
  return subjectClass === 'media' && mainOf !== null ? 'work' : subjectClass
}

/** The nodes that the page is about, by precedence: one of each class, or several of class `page`. */
function subjectsOf(found: ReadonlyMap<SubjectClass, readonly Member[]>, isOwn: IsPageAddress): Member[] {
  const subjects: Member[] = []
  for (const subjectClass of SUBJECT_CLASSES) {
    const members = found.get(subjectClass) ?? []
    // A review of something else on the page, or one of several reviews, is not the subject of the page.
    if (subjectClass === 'review' && (members.length > 1 || found.has('article') || found.has('work'))) continue
    // A single article or work counts even if its URL is on another site, such as the site of a product's manufacturer.
    const canBeTeasers = (subjectClass === 'article' || subjectClass === 'work') && members.length > 1
    const own = canBeTeasers
      ? members.filter((one, i) => one.mainOf !== null || (i < MAX_TEASERS && !isTeaser(one, isOwn)))
      : members
    const main = own.find(({ mainOf }) => mainOf !== null) ?? own[0]
    if (main === undefined) continue
    subjects.push(main)
    // Several plugins may describe one page, each with its own node.
    const others = subjectClass === 'page' ? own.filter((one) => one !== main) : []
    subjects.push(...others.slice(0, MAX_PARTS))
  }
  return subjects
}

/** Whether a node describes another page: it has addresses, and none is this page's. */
function isTeaser({ node }: Member, isOwn: IsPageAddress): boolean {
  const addresses = ADDRESS_PROPERTIES.flatMap((property) => addressesOf(node[property]))
  const verdicts = addresses.flatMap((address) => isOwn(address) ?? [])
  return verdicts.length > 0 && !verdicts.includes(true)
}

const ADDRESS_PROPERTIES = ['url', 'mainEntityOfPage', '@id'] as const

/** Excludes values that are not addresses of pages: `true`, names within the page, and examples from documentation. */
const ADDRESS = /^(?:https?:\/)?\/(?!\/?(?:www\.)?(?:example\.(?:com|org|net)|google\.com\/article))/i

function addressesOf(value: unknown): string[] {
  const first = Array.isArray(value) ? value[0] : value
  const addresses = isRecord(first) ? [first['@id'], first['url']] : [first]
  return addresses.filter((address) => typeof address === 'string').filter((address) => ADDRESS.test(address))
}
