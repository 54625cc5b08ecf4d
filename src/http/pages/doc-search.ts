import type { Document, DocumentSection } from '../../../documents.ts'
import type { DocHit } from '../../../views/docs/search.tsx'

/** Each word is sought in all documents, about 400 KB of text: eight words take about a millisecond. */
const MAX_WORDS = 8
const MAX_QUERY_CHARACTERS = 100
const MAX_HITS = 20
const MAX_EXCERPT_CHARACTERS = 200
/** How much more a word counts in a title than in the text. */
const TITLE_WEIGHT = 3

/** Words of questions that say nothing about their subject. */
const COMMON =
  /^(?:an?|and|any|are|as|at|but|by|can|did|do|does|for|from|has|have|how|i|in|into|is|it|me|my|no|not|now|of|on|or|still|that|the|to|was|what|when|where|which|why|with)$/

/** The sections with words that begin like those of the query, best first. Rare words and those of titles count more. */
export function searchDocuments(documents: readonly Document[], query: string): DocHit[] {
  const stems = stemsOf(query)
  const sections = documents.flatMap((document) => document.sections)
  const scores = new Map<DocumentSection, number>()
  for (const stem of stems) {
    const found = sections.filter(({ words }) => words.includes(stem))
    const weight = Math.log(1 + sections.length / found.length) ** 2
    for (const section of found) {
      const factor = section.titleWords.includes(stem) ? TITLE_WEIGHT : 1
      scores.set(section, (scores.get(section) ?? 0) + factor * weight * section.weight)
    }
  }
  const sorted = [...scores].toSorted(([, a], [, b]) => b - a)
  const best = sorted.filter(([, score]) => score >= sorted[0]![1] / 3).slice(0, MAX_HITS)
  return best.map(([section]) => ({ ...section, excerpt: excerptOf(section.text, stems) }))
}

/**
 * The words of a query as they are found in the words of a section: short ones as they are, and the start of longer ones,
 * without the ending, so that `rendering` also finds `rendered`.
 */
function stemsOf(query: string): string[] {
  const words =
    query
      .slice(0, MAX_QUERY_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const stems = words
    .filter((word) => !COMMON.test(word))
    .map((word) => (word.length < 4 ? ` ${word} ` : ` ${word.replace(/(?<=.{4})(?:ing|ed|es|s)$/, '')}`))
  return [...new Set(stems)].slice(0, MAX_WORDS)
}

/** The text around the first of the words that it has. */
function excerptOf(text: string, stems: readonly string[]): string {
  const lower = ` ${text.toLowerCase()}`
  const at = stems.map((stem) => lower.indexOf(stem)).find((index) => index >= 0) ?? 0
  const start = at < MAX_EXCERPT_CHARACTERS / 2 ? 0 : text.lastIndexOf(' ', at - MAX_EXCERPT_CHARACTERS / 4) + 1
  const cut = text.slice(start, start + MAX_EXCERPT_CHARACTERS)
  return `${start > 0 ? '… ' : ''}${cut}${start + cut.length < text.length ? '…' : ''}`
}
