import { Html } from '@elysiajs/html'

import { CodeExamples } from '../ui/code-examples.tsx'
import type { TabProps } from './outcome.ts'

/** The request in several languages. */
export function CodeTab({ request }: Pick<TabProps, 'request'>) {
  return (
    <div class="panel code-panel">
      <p class="muted">
        <code>URLMETA_KEY</code> holds one of your <a href="/keys">keys</a>.
      </p>
      <CodeExamples request={request} />
    </div>
  )
}
