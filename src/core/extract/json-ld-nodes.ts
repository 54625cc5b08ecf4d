import { subjectClassOf, SUBJECT_CLASSES, type SubjectClass, typeNames } from './subject-class.ts'

/** A JSON object of a JSON-LD document. */
export type JsonLdNode = Record<string, unknown>

/** The nodes of a page that rules ask for. */
export interface JsonLdNodes {
  /** What the page is about, at most one node for each class of things, the most telling class first. */
  subjects: readonly JsonLdNode[]
  webSite: JsonLdNode | undefined
  /** Nodes that others may refer to: one thing may be described in several places. */
  byId: ReadonlyMap<string, readonly JsonLdNode[]>
}

/** Whether an address is the page's own; undefined when that cannot be told. */
export type IsOwnAddress = (address: string) => boolean | undefined

/** How deep lists, graphs and main entities are followed: real pages nest two or three. */
const MAX_DEPTH = 6

/** Nodes that are looked at in all: the largest real graphs have a few hundred. */
const MAX_NODES = 2_000

/** Nodes of the same id that are looked at. */
const MAX_PARTS = 8

/** A node, and what it is to the node that led to it. */
interface Member {
  node: JsonLdNode
  types: readonly string[]
  /** The types of the node whose main entity it is; null for any other node. */
  mainOf: readonly string[] | null
}

/** Finds the nodes of interest in the parsed blocks of a page. */
export function nodesOf(blocks: readonly unknown[], isOwn: IsOwnAddress): JsonLdNodes {
  const members = collected(blocks)
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
  return { subjects: subjectsOf(found, isOwn), webSite, byId }
}

export function isRecord(value: unknown): value is JsonLdNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Top-level nodes, members of graphs and main entities, in document order. */
function collected(blocks: readonly unknown[]): Member[] {
  const members: Member[] = []
  const visit = (value: unknown, depth: number, mainOf: readonly string[] | null) => {
    if (depth > MAX_DEPTH || members.length >= MAX_NODES) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_NODES)) visit(item, depth + 1, mainOf)
    } else if (isRecord(value)) {
      const types = typesOf(value)
      if (!('@graph' in value) || '@type' in value) members.push({ node: value, types, mainOf })
      visit(value['@graph'], depth + 1, null)
      visit(value['mainEntity'], depth + 1, types)
      visit(value['mainEntityOfPage'], depth + 1, null)
    }
  }
  for (const block of blocks) visit(block, 0, null)
  return members
}

function typesOf(node: JsonLdNode): string[] {
  const type = node['@type']
  return typeNames(Array.isArray(type) ? type : [type])
}

function classOf({ node, types, mainOf }: Member): SubjectClass | undefined {
  if (node['@type'] === undefined) return isReference(node) ? undefined : 'untyped'
  if (types.includes('Person') && mainOf?.includes('ProfilePage')) return 'work'
  const subjectClass = subjectClassOf(types)
  // The question that a page is for; those of an FAQ are a list.
  if (subjectClass === 'question') return mainOf !== null && !mainOf.includes('FAQPage') ? 'question' : undefined
  return subjectClass === 'media' && mainOf !== null ? 'work' : subjectClass
}

function subjectsOf(found: ReadonlyMap<SubjectClass, readonly Member[]>, isOwn: IsOwnAddress): JsonLdNode[] {
  const subjects: JsonLdNode[] = []
  for (const subjectClass of SUBJECT_CLASSES) {
    const members = found.get(subjectClass) ?? []
    // A review beside what it is of, or one of several, is somebody's opinion on the page.
    if (subjectClass === 'review' && (members.length > 1 || found.has('article') || found.has('work'))) continue
    // The one product of a page may well have its address at its maker's.
    const canBeTeasers = subjectClass === 'article' || (subjectClass === 'work' && members.length > 1)
    const own = canBeTeasers ? members.filter(({ node }) => !isElsewhere(node, isOwn)) : members
    const main = own.find(({ mainOf }) => mainOf !== null) ?? own[0]
    if (main !== undefined) subjects.push(main.node)
  }
  return subjects
}

/** A node that only names another one. */
function isReference(node: JsonLdNode): boolean {
  return Object.keys(node).every((key) => key === '@id')
}

/** Whether a node says that it has a page of its own and that this is not it: a teaser. */
function isElsewhere(node: JsonLdNode, isOwn: IsOwnAddress): boolean {
  for (const property of ['url', 'mainEntityOfPage']) {
    const address = addressOf(node[property])
    const verdict = address === undefined ? undefined : isOwn(address)
    if (verdict !== undefined) return !verdict
  }
  return false
}

function addressOf(value: unknown): string | undefined {
  const first = Array.isArray(value) ? value[0] : value
  const address = isRecord(first) ? (first['@id'] ?? first['url']) : first
  return typeof address === 'string' ? address : undefined
}

function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value, max: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else if (list.length < max) list.push(value)
}
