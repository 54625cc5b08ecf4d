import type { PlaygroundSuccess } from './playground/outcome.ts'
import { ResultTabs, type TabId } from './playground/result-tabs.tsx'
import { Summary } from './playground/summary.tsx'
import { type Frame, Shell } from './shell.tsx'
import { DateTime } from './ui/time.tsx'

/** The path of a shared result. */
export const sharedPath = (token: string) => `/shared/${encodeURIComponent(token)}`

export interface SharedProps {
  frame: Frame
  token: string
  result: PlaygroundSuccess
  tab: TabId
  sharedAtMs: number
  expiresAtMs: number
}

/** A result of the playground that a user has shared, as it was then. It has no forms. */
export function SharedPage({ frame, token, result, tab, sharedAtMs, expiresAtMs }: SharedProps) {
  const { url } = result.response
  return (
    <Shell frame={frame} title="Shared result" description="The metadata and link previews of a page.">
      <h1>Shared result</h1>
      <p class="lead">
        <bdi safe>{url}</bdi>
      </p>
      <p class="hint">
        A copy of a result, shared on <DateTime ms={sharedAtMs} />. This link works until <DateTime ms={expiresAtMs} />.
      </p>
      <Summary outcome={result} nowMs={frame.nowMs} />
      <ResultTabs
        tab={tab}
        path={sharedPath(token)}
        csrf=""
        outcome={result}
        request={{ baseUrl: frame.baseUrl, url, timeoutMs: null, isFresh: false }}
      />
    </Shell>
  )
}
