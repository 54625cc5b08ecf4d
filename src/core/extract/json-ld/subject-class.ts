import schemaTypes from './schema-types.json'

/**
 * The kinds of things that a page can be about, by precedence. Media and reviews come after the page itself, because
 * most are parts of it. Other things are never the subject: organizations, people, breadcrumbs, ratings, comments,
 * images.
 */
export const SUBJECT_CLASSES = ['article', 'work', 'page', 'media', 'review', 'question', 'untyped'] as const
export type SubjectClass = (typeof SUBJECT_CLASSES)[number]

/** The maximum number of types of one node to read, and of characters of each type. */
const MAX_TYPES = 20
const MAX_TYPE_LENGTH = 200

/** From the hierarchy of https://schema.org. */
const CLASS_OF_TYPE = new Map(
  Object.entries(schemaTypes).flatMap(([subjectClass, types]) =>
    types.split(' ').map((type) => [type, subjectClass as SubjectClass] as const),
  ),
)

/** Type names without their vocabulary: `https://schema.org/Article`, `schema:Article` and `Article` are the same. */
export function typeNames(types: readonly unknown[]): string[] {
  return types
    .slice(0, MAX_TYPES)
    .filter((type) => typeof type === 'string')
    .map((type) => type.slice(0, MAX_TYPE_LENGTH).split(/[/#:]/).at(-1)!)
}

/** The class that takes precedence among a thing's types; undefined when a page cannot be about such things. */
export function subjectClassOf(names: readonly string[]): SubjectClass | undefined {
  const classes = names.map((name) => CLASS_OF_TYPE.get(name))
  return SUBJECT_CLASSES.find((subjectClass) => classes.includes(subjectClass))
}
