/** Classes of subjects: the things that a page can be about. */
export type SubjectClass = 'article' | 'work' | 'page' | 'media' | 'review' | 'question' | 'untyped'

/**
 * By precedence. Media and reviews come after the page itself, because most are parts of it. Other things are never the
 * subject: organizations, people, breadcrumbs, ratings, comments, images.
 */
export const SUBJECT_CLASSES = ['article', 'work', 'page', 'media', 'review', 'question', 'untyped'] as const

/** The maximum number of types of one thing to read, and of characters of each. */
const MAX_TYPES = 20
const MAX_TYPE_LENGTH = 200

/** Names as in https://schema.org/docs/full.html; articles, events and pages are recognized by the end of the name. */
const CLASS_OF_TYPE = new Map<string, SubjectClass>([
  ...classed('article', 'Report'),
  ...classed(
    'work',
    'Atlas Book Audiobook Blog Chapter Clip Collection ComicIssue ComicStory Course CourseInstance CreativeWork ' +
      'CreativeWorkSeason CreativeWorkSeries Dataset DataFeed DigitalDocument NoteDigitalDocument LearningResource ' +
      'PresentationDigitalDocument SpreadsheetDigitalDocument TextDigitalDocument Manuscript PublicationIssue ' +
      'PublicationVolume SheetMusic SpecialAnnouncement DataCatalog Drawing Episode Festival Game Guide HowTo Legislation Map Movie MovieSeries ' +
      'MusicAlbum MusicComposition MusicPlaylist MusicRecording Painting Photograph Play PodcastEpisode PodcastSeries ' +
      'Product IndividualProduct ProductGroup ProductModel Vehicle Car Quiz RadioEpisode RadioSeries Recipe ' +
      'Sculpture ShortStory SoftwareApplication MobileApplication WebApplication SoftwareSourceCode Thesis TVEpisode ' +
      'TVSeason TVSeries VideoGame VisualArtwork',
  ),
  ...classed('media', 'MediaObject VideoObject AudioObject MusicVideoObject DataDownload'),
  ...classed('review', 'Review CriticReview UserReview EmployerReview ClaimReview'),
  ...classed('question', 'Question'),
])

function classed(subjectClass: SubjectClass, types: string): [type: string, subjectClass: SubjectClass][] {
  return types.split(' ').map((type) => [type, subjectClass])
}

/** Type names without their vocabulary: `https://schema.org/Article`, `schema:Article` and `Article` are the same. */
export function typeNames(types: readonly unknown[]): string[] {
  return types
    .slice(0, MAX_TYPES)
    .filter((type) => typeof type === 'string')
    .map((type) => localName(type.slice(0, MAX_TYPE_LENGTH)))
}

function localName(type: string): string {
  return type.slice(Math.max(type.lastIndexOf('/'), type.lastIndexOf('#'), type.lastIndexOf(':')) + 1)
}

/** The class that takes precedence among a thing's types; undefined when pages are not about such things. */
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
