// `bun test/core/extract/json-ld/write-schema-types.ts` writes the types of schema.org by the class of subject that they are,
// from the hierarchy in schema-dts.
import { join } from 'node:path'

import type { SubjectClass } from '../../../../src/core/extract/json-ld/subject-class.ts'

export const SCHEMA_TYPES = join(import.meta.dir, '../../../../src/core/extract/json-ld/schema-types.json')

/** Subclasses of CreativeWork and Product that are parts of a work or page, or about something else. */
const NOT_WORKS =
  'Article WebPage WebPageElement WebSite MediaObject Comment Review UserInteraction HowToDirection HowToSection HowToStep ' +
  'HowToTip HyperTocEntry MenuSection MediaReviewItem Certification Claim Conversation Credential DefinedTermSet Diet ' +
  'EducationalOccupationalCredential Message Quotation Statement'

/** For each class, its topmost types, and types below them that are not of it. */
const ROOTS: Partial<Record<SubjectClass, { roots: string; except: string }>> = {
  article: { roots: 'Article JobPosting', except: '' },
  work: { roots: 'CreativeWork Product Event', except: NOT_WORKS },
  page: { roots: 'WebPage', except: '' },
  media: { roots: 'MediaObject', except: 'ImageObject _3DModel' },
  review: { roots: 'Review', except: '' },
  question: { roots: 'Question', except: '' },
}

/** The types of each class, separated by spaces. A type of two classes is of the first. */
export async function schemaTypes(): Promise<Record<string, string>> {
  const text = await Bun.file(Bun.resolveSync('schema-dts/dist/schema.d.ts', import.meta.dir)).text()
  const declarations = text.matchAll(/^export type (\w+) = \1Leaf\b([^;]*);/gm)
  const children = new Map([...declarations].map(([, type, rest]) => [type!, rest!.match(/\w+/g) ?? []]))
  const known = new Set<string>()
  const typesOf = ({ roots, except }: { roots: string; except: string }) => {
    const types: string[] = []
    const visit = (type: string) => {
      if (known.has(type) || except.split(' ').includes(type) || !children.has(type)) return
      known.add(type)
      types.push(type)
      children.get(type)!.forEach(visit)
    }
    roots.split(' ').forEach(visit)
    return types.toSorted().join(' ')
  }
  return Object.fromEntries(Object.entries(ROOTS).map(([subjectClass, roots]) => [subjectClass, typesOf(roots)]))
}

if (import.meta.main) await Bun.write(SCHEMA_TYPES, `${JSON.stringify(await schemaTypes(), null, 2)}\n`)
