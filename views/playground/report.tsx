import { ASSETS } from '../assets.ts'
import { ChecksTab, countsText } from './checks-tab.tsx'
import { InlineText } from '../ui/text.tsx'
import type { PlaygroundSuccess } from './outcome.ts'
import { IMAGE_PATH } from './preview-card.tsx'
import { PreviewsTab } from './previews-tab.tsx'

/** A page of a report. The paths of its images are `imagePathOf` their positions in the report. */
export interface ReportedPage {
  /** Its position in the report. */
  index: number
  outcome: PlaygroundSuccess
}

export const imagePathOf = (index: number) => `${IMAGE_PATH}${index}`

/** Ids that are unique in a page of the dashboard, but not in a report of several pages. */
const IDS = / (id|href)="(#?)(card-\w+|app-marks|link-cards|corrected)"/g

export function ReportedPageSection({ index, outcome }: ReportedPage): string {
  const { preview, response } = outcome
  const section = (
    <details class="panel reported" open={index === 0}>
      <summary>
        <h2 safe>{response.url}</h2>{' '}
        <InlineText class="muted" text={typeof preview === 'string' ? '' : countsText(preview.checks)} />
      </summary>
      <ChecksTab csrf="" outcome={outcome} />
      <PreviewsTab csrf="" outcome={outcome} />
    </details>
  )
  return String(section).replaceAll(IDS, ` $1="$2page-${index}-$3"`)
}

/** A page that could not be read. */
export const UnreadPage = ({ url, error }: { url: string; error: string }) => (
  <p class="panel">
    <bdi safe>{url}</bdi> <InlineText class="error" text={error} />
  </p>
)

export interface ReportProps {
  /** The HTML of each page. */
  sections: readonly string[]
  /** The `data:` URLs of the images; '' for images that are not in the report. */
  images: readonly string[]
  /** The number of pages, also of those that are not in the report. */
  pages: number
  /** The number of pages, then of those with problems and of those that were not read. */
  counts: string
  /** The address of the documentation on the web. */
  docsUrl: string
}

/** The script of a report. Each image is in the report once, and in most cards. */
const scriptFor = (images: readonly string[]) => `const images = ${JSON.stringify(images)}
for (const image of document.querySelectorAll('[data-image]')) image.src = images[image.dataset.image] || ''`

/** Allows the script and the styles of a report only, in case a page gets around the escaping. */
const policyFor = (script: string) =>
  `default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${Bun.SHA256.hash(script, 'base64')}'`

/** One file without references to others, which a browser can open without a server. */
export function ReportDocument({ sections, images, pages, counts, docsUrl }: ReportProps): string {
  const script = scriptFor(images)
  const report = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policyFor(script)} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Link previews · urlmeta</title>
        <style>{ASSETS['/style.css'].content as 'safe'}</style>
      </head>
      <body>
        <div hidden>{symbols() as 'safe'}</div>
        <main id="main">
          <h1>Link previews</h1>
          <p class="lead" safe>
            {sections.length === pages ? counts : `The first ${sections.length} of ${counts}`}
          </p>
          {sections.join('\n') as 'safe'}
        </main>
        <script>{script as 'safe'}</script>
      </body>
    </html>
  )
  return `<!doctype html>\n${withoutFiles(String(report), docsUrl)}`
}

const MARKS = ASSETS['/marks.svg']
const ICONS = ASSETS['/icons.svg']

/** The symbols of both files. They have ids of their own, because both have an `x`. */
const symbols = () => MARKS.content.replaceAll(' id="', ' id="mark-') + ICONS.content.replaceAll(' id="', ' id="icon-')

/** Refers to the symbols in the report, and to the documentation on the web. */
function withoutFiles(report: string, docsUrl: string): string {
  return report
    .replaceAll(`"${MARKS.href}#`, '"#mark-')
    .replaceAll(`"${ICONS.href}#`, '"#icon-')
    .replaceAll(` src="${IMAGE_PATH}`, ' data-image="')
    .replaceAll('href="/docs/link-previews#', `href="${docsUrl}/link-previews.md#`)
}
