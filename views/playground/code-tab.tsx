import { JsonBlock } from '../ui/code.tsx'
import { CodeExamples, type ExampleRequest } from '../ui/code-examples.tsx'
import type { TabProps } from './outcome.ts'

/** The request in several languages. */
export function RequestCode({ request }: { request: ExampleRequest }) {
  return (
    <>
      <p class="muted">
        <code>URLMETA_KEY</code> holds one of your <a href="/keys">keys</a>.
      </p>
      <CodeExamples request={request} />
    </>
  )
}

/** The response of the API. */
export function JsonTab({ outcome: { response } }: Pick<TabProps, 'outcome'>) {
  return <JsonBlock value={response} />
}
