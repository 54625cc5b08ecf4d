import { CodeExamples, type ExampleRequest } from '../ui/code-examples.tsx'

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
