/** A JSON object of a JSON-LD document. */
export type JsonLdNode = Record<string, unknown>

/** The nodes of a page that rules ask for. */
export interface JsonLdNodes {
  /** What the page is about, at most one node for each class of things, the most telling class first. */
  subjects: readonly JsonLdNode[]
  webSite: JsonLdNode | undefined
  /** Nodes that others may refer to. */
  byId: ReadonlyMap<string, JsonLdNode>
}

/** How deep lists, graphs and main entities are followed: real pages nest two or three. */
const MAX_DEPTH = 6

/** Nodes that are looked at in all: the largest real graphs have a few hundred. */
const MAX_NODES = 2_000

/**
 * Classes of things a page can be about, the most telling first. Anything else (organisations, people, breadcrumbs,
 * ratings, images) appears on pages without being what they are about.
 */
const CLASSES: readonly ((type: string) => boolean)[] = [
  (type) => type.endsWith('Article') || type.endsWith('Posting') || type === 'Report',
  (type) => type.endsWith('Event') || SUBJECTS.has(type),
  (type) => type.endsWith('Page'),
  (type) => type === '',
]

/** Works, products and the like, by their names in https://schema.org/docs/full.html. */
const SUBJECTS = new Set(
  (
    'Book Audiobook Blog Chapter Course CourseInstance CreativeWork CreativeWorkSeason CreativeWorkSeries Dataset ' +
    'DigitalDocument DataCatalog Drawing Episode Festival Game Guide HowTo Legislation Map Movie MovieSeries ' +
    'MusicAlbum MusicComposition MusicPlaylist MusicRecording Painting Photograph Play PodcastEpisode PodcastSeries ' +
    'Product IndividualProduct ProductGroup ProductModel Vehicle Car Question Quiz RadioEpisode RadioSeries Recipe ' +
    'Review CriticReview Sculpture ShortStory SoftwareApplication MobileApplication WebApplication ' +
    'SoftwareSourceCode Thesis TVEpisode TVSeason TVSeries VideoGame VideoObject AudioObject VisualArtwork'
  ).split(' '),
)

/** Finds the nodes of interest in the parsed blocks of a page. */
export function nodesOf(blocks: readonly unknown[]): JsonLdNodes {
  const nodes = collected(blocks)
  const byId = new Map<string, JsonLdNode>()
  const subjects: (JsonLdNode | undefined)[] = CLASSES.map(() => undefined)
  let webSite: JsonLdNode | undefined
  for (const node of nodes) {
    const id = node['@id']
    if (typeof id === 'string' && Object.keys(node).length > 1) byId.set(id, node)
    const types = typesOf(node)
    if (types.includes('WebSite')) webSite ??= node
    const rank = CLASSES.findIndex((isOfClass) => types.some(isOfClass))
    if (rank >= 0) subjects[rank] ??= node
  }
  return { subjects: subjects.filter((node) => node !== undefined), webSite, byId }
}

export function isRecord(value: unknown): value is JsonLdNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Top-level nodes, members of graphs and main entities, in document order. */
function collected(blocks: readonly unknown[]): JsonLdNode[] {
  const nodes: JsonLdNode[] = []
  const visit = (value: unknown, depth: number) => {
    if (depth > MAX_DEPTH || nodes.length >= MAX_NODES) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_NODES)) visit(item, depth + 1)
    } else if (isRecord(value)) {
      if (!('@graph' in value) || '@type' in value) nodes.push(value)
      for (const property of ['@graph', 'mainEntity', 'mainEntityOfPage']) visit(value[property], depth + 1)
    }
  }
  for (const block of blocks) visit(block, 0)
  return nodes
}

/** Types of one node that are looked at, and characters of each. */
const MAX_TYPES = 20
const MAX_TYPE_LENGTH = 200

/** Type names without their vocabulary: `https://schema.org/Article`, `schema:Article` and `Article` are one. */
function typesOf(node: JsonLdNode): string[] {
  const type = node['@type']
  if (type === undefined) return ['']
  const types: unknown[] = Array.isArray(type) ? type.slice(0, MAX_TYPES) : [type]
  return types
    .filter((name) => typeof name === 'string')
    .map((name) => name.slice(0, MAX_TYPE_LENGTH).replace(/^.*[/#:]/s, ''))
}
