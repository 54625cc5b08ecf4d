import { COMMAND_LINE, type ImageFetcher } from '../../../core/fetch/ports.ts'
import type { PlaygroundSuccessRecord } from '../../../previews/service/playground-record.ts'
import { imagePathOf, ReportedPageSection, ReportDocument, UnreadPage } from '../../../../views/playground/report.tsx'
import { linkPreviewOf } from './link-preview.ts'

/** Each page has the cards of all apps, which take 30 KB of HTML. Further pages are not in the report. */
const MAX_PAGES = 100

/** The `data:` URLs of all images together, in characters. Further images are not in the report. */
const MAX_IMAGE_CHARACTERS = 64 * 1024 * 1024

export type Report = ReturnType<typeof createReport>

/** A report with the cards of pages as each app draws them, as one HTML file. */
export function createReport(fetcher: ImageFetcher, docsUrl: string) {
  const sections: string[] = []
  const indexes = new Map<string, number>()
  const images: string[] = []
  let characters = 0
  let pages = 0

  async function load(url: string, signal: AbortSignal): Promise<void> {
    if (indexes.has(url)) return
    const index = indexes.size
    indexes.set(url, index)
    images[index] = ''
    const { image } = await fetcher.fetch(new URL(url), signal, COMMAND_LINE)
    if (image === null || characters > MAX_IMAGE_CHARACTERS) return
    images[index] = `data:${image.mimeType};base64,${Buffer.from(image.bytes).toString('base64')}`
    characters += images[index].length
  }

  return {
    async add(record: PlaygroundSuccessRecord, signal: AbortSignal): Promise<void> {
      const index = pages++
      if (index >= MAX_PAGES) return
      const available = record.images.filter(({ problem }) => problem === '')
      await Promise.all(available.map(({ url }) => load(url, signal)))
      const pathOf = (url: string) => imagePathOf(indexes.get(url) ?? -1)
      const { url, result } = record
      const preview = linkPreviewOf(record, pathOf)
      const common = { kind: 'success' as const, id: '', isCached: false, images: {}, explanation: null }
      sections.push(ReportedPageSection({ index, outcome: { ...common, response: { url, ...result }, preview } }))
    },

    addUnread(url: string, error: string) {
      if (pages++ < MAX_PAGES) sections.push(String(UnreadPage({ url, error })))
    },

    /** @param counts the number of pages first */
    html: (counts: string) => ReportDocument({ sections, images, pages, counts, docsUrl }),
  }
}
