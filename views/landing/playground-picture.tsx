import { Aurora } from './aurora.tsx'

export interface PlaygroundPictureProps {
  url: string
  title: string
  siteName: string
}

/** Some of the fields with their sources, as in the Sources tab. */
const SOURCES = [
  ['title', 'og:title'],
  ['description', 'og:description'],
  ['image', 'og:image'],
  ['author', 'json-ld author'],
] as const

/**
 * A small picture of the playground, drawn with the styles of the real page, so that it has the same colors and needs
 * no image. Screen readers get one sentence that describes it.
 */
export function PlaygroundPicture({ url, title, siteName }: PlaygroundPictureProps) {
  return (
    <div class="playground-picture" role="img" aria-label="The playground with link previews and sources of a page">
      <div aria-hidden="true">
        <p class="line">
          <code safe>{url}</code>
          <span class="button primary small">Fetch</span>
        </p>
        <p class="tabs">
          <span class="current">Previews</span> <span>Checks</span> <span>JSON</span> <span>Sources</span>
        </p>
        <div class="parts">
          <div class="mini slack">
            <b safe>{siteName}</b>
            <span safe>{title}</span>
            <Aurora />
          </div>
          <div class="mini facebook">
            <Aurora />
            <span class="words" safe>
              {title}
            </span>
          </div>
          <ul class="mini">
            {SOURCES.map(([field, source]) => (
              <li>
                <code>{field}</code> <span class="muted">{source}</span>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  )
}
