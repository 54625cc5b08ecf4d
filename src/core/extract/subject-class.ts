/** Kinds of things a page can be about. */
export type SubjectClass = 'article' | 'work' | 'page' | 'media' | 'review' | 'question' | 'untyped'

/**
 * The most telling first. Media and reviews come behind the page: mostly they are something in it. Anything else
 * (organisations, people, breadcrumbs, ratings, comments, images) appears on pages without being what they are about.
 */
export const SUBJECT_CLASSES = ['article', 'work', 'page', 'media', 'review', 'question', 'untyped'] as const

/** Types of one thing that are looked at, and characters of each. */
const MAX_TYPES = 20
const MAX_TYPE_LENGTH = 200

/** By their names in https://schema.org/docs/full.html; articles, events and pages are known by their endings. */
const CLASS_OF_TYPE = new Map<string, SubjectClass>([
  ...classed('article', 'Report'),
  ...classed(
    'work',
    'Book Audiobook Blog Chapter Course CourseInstance CreativeWork CreativeWorkSeason CreativeWorkSeries Dataset ' +
      'DigitalDocument DataCatalog Drawing Episode Festival Game Guide HowTo Legislation Map Movie MovieSeries ' +
      'MusicAlbum MusicComposition MusicPlaylist MusicRecording Painting Photograph Play PodcastEpisode PodcastSeries ' +
      'Product IndividualProduct ProductGroup ProductModel Vehicle Car Quiz RadioEpisode RadioSeries Recipe ' +
      'Sculpture ShortStory SoftwareApplication MobileApplication WebApplication SoftwareSourceCode Thesis TVEpisode ' +
      'TVSeason TVSeries VideoGame VisualArtwork',
  ),
  ...classed('media', 'VideoObject AudioObject MusicVideoObject'),
  ...classed('review', 'Review CriticReview UserReview EmployerReview ClaimReview'),
  ...classed('question', 'Question'),
])

function classed(subjectClass: SubjectClass, types: string): [type: string, subjectClass: SubjectClass][] {
  return types.split(' ').map((type) => [type, subjectClass])
}

/** Type names without their vocabulary: `https://schema.org/Article`, `schema:Article` and `Article` are one. */
export function typeNames(types: readonly unknown[]): string[] {
  return types
    .slice(0, MAX_TYPES)
    .filter((type) => typeof type === 'string')
    .map((type) => type.slice(0, MAX_TYPE_LENGTH).replace(/^.*[/#:]/s, ''))
}

/** The most telling class among a thing's types; undefined when no page is about such a thing. */
export function subjectClassOf(names: readonly string[]): SubjectClass | undefined {
  const classes = names.map(classOfType)
  return SUBJECT_CLASSES.find((subjectClass) => classes.includes(subjectClass))
}

function classOfType(type: string): SubjectClass | undefined {
  if (type.endsWith('Article') || type.endsWith('Posting')) return 'article'
  if (type.endsWith('Event')) return 'work'
  if (type.endsWith('Page')) return 'page'
  return CLASS_OF_TYPE.get(type)
}
