import type { PlaygroundSuccess } from './outcome.ts'
import { ResultTabs, type TabId } from './result-tabs.tsx'
import { Summary } from './summary.tsx'
import { type Frame, Shell } from '../shell.tsx'
import { DateTime } from '../ui/time.tsx'

export const sharedPath = (token: string) => `/shared/${encodeURIComponent(token)}`

export interface SharedProps {
  frame: Frame
  token: string
  result: PlaygroundSuccess
  tab: TabId
  sharedAtMs: number
  expiresAtMs: number
}

/** Shows the result as it was when it was shared. The page has no forms. */
export function SharedPage({ frame, token, result, tab, sharedAtMs, expiresAtMs }: SharedProps) {
  const { url } = result.response
  // The stored copy has public addresses only.
  const isPrivate = result.explanation?.trace.hops.at(-1)?.addresses.length === 0
  return (
    <Shell frame={frame} title="Shared result" description="The metadata and link previews of a page.">
      <h1>Shared result</h1>
      <p class="lead">
        <bdi safe>{url}</bdi>
      </p>
      <p class="hint">
        A copy of a result, shared on <DateTime ms={sharedAtMs} />. This link works until <DateTime ms={expiresAtMs} />.
      </p>
      {isPrivate && <p class="callout">The page is on a private host, whose images are not shown here.</p>}
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
