import { escapeHtml } from '@kitajs/html'

import { JsonBlock } from '../ui/code.tsx'
import { RequestCode } from '../ui/code-examples.tsx'
import { EmbedTab } from './embed-tab.tsx'
import { ChecksTab } from './checks-tab.tsx'
import type { PlaygroundSuccess, TabProps } from './outcome.ts'
import { PreviewsTab } from './previews-tab.tsx'
import { SourcesTab } from './sources-tab.tsx'
import { TimingTab } from './timing-tab.tsx'

const JsonTab = ({ outcome }: TabProps) => <JsonBlock value={outcome.response} />

/** The tabs in order; the first one is the default. */
const TABS = [
  { id: 'previews', label: 'Previews', Content: PreviewsTab, isPanel: false },
  { id: 'checks', label: 'Checks', Content: ChecksTab, isPanel: true },
  { id: 'json', label: 'JSON', Content: JsonTab, isPanel: false },
  { id: 'sources', label: 'Sources', Content: SourcesTab, isPanel: true },
  { id: 'timing', label: 'Timing', Content: TimingTab, isPanel: true },
  { id: 'embed', label: 'Embed', Content: EmbedTab, isPanel: true },
  { id: 'code', label: 'Code', Content: RequestCode, isPanel: true },
] as const

export type TabId = (typeof TABS)[number]['id']

/** The tab with this id; the default tab for any other text. */
export const tabOf = (text: string): TabId => (TABS.find(({ id }) => id === text) ?? TABS[0]).id

/** Counts errors and warnings, but not notices. */
function ProblemCount({ preview }: Pick<PlaygroundSuccess, 'preview'>) {
  if (typeof preview === 'string') return null
  const { checks } = preview
  const count = checks.filter(({ severity }) => severity === 'error' || severity === 'warning').length
  if (count === 0) return null
  const hasErrors = checks.some(({ severity }) => severity === 'error')
  return (
    <>
      {' '}
      <span class={hasErrors ? 'badge bad' : 'badge warn'}>
        <span safe>{String(count)}</span>
        <span class="visually-hidden">{count === 1 ? ' problem' : ' problems'}</span>
      </span>
    </>
  )
}

/** One part of a result at a time. Tabs are links to pages, which work without scripts and with Back and bookmarks. */
export function ResultTabs({ tab, path, ...content }: TabProps & { tab: TabId; path: string }) {
  const { label, Content, isPanel } = TABS.find(({ id }) => id === tab)!
  return (
    <section class="result" aria-labelledby="tab-head">
      <nav class="tabs" id="result-tabs" aria-label="Result">
        {TABS.map(({ id, label: text }) => (
          <a href={escapeHtml(`${path}?tab=${id}`)} aria-current={id === tab ? 'page' : undefined}>
            {text}
            {id === 'checks' && <ProblemCount preview={content.outcome.preview} />}
          </a>
        ))}
      </nav>
      <h2 id="tab-head" class="visually-hidden">
        {label}
      </h2>
      <div class={isPanel ? 'panel' : undefined}>
        <Content {...content} />
      </div>
    </section>
  )
}
