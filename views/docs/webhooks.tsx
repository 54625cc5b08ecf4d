import verifyInPython from '../examples/verify-python.txt' with { type: 'text' }
import verifyInTypescript from '../examples/verify-typescript.txt' with { type: 'text' }
import type { AlertMessage } from '../../src/core/usage/alerts.ts'
import { CodeBlock, JsonBlock } from '../ui/code.tsx'

export function Webhooks({ example }: { example: AlertMessage }) {
  return (
    <>
      <p>
        A webhook URL, set under <a href="/account#alerts">Account</a>, gets a POST request when 80% and 100% of the
        monthly limit are used, once each per month, and a week before a key expires (<code>key.expiring</code>, with{' '}
        <code>key_id</code>, <code>key_name</code> and <code>expires_at</code>). “Send a test” there sends a message of
        the type <code>usage.test</code>.
      </p>
      <JsonBlock value={example} label="Body" />
      <p>
        The header <code>Urlmeta-Signature: t=…,v1=…</code> has the time in Unix seconds, and an HMAC-SHA256 in
        hexadecimal. It is computed with the signing secret as its key from the time, a full stop, and the body as it
        was sent. To verify a message:
      </p>
      <CodeBlock code={verifyInTypescript.trimEnd()} label="TypeScript" />
      <CodeBlock code={verifyInPython.trimEnd()} label="Python" />
      <p>
        A message is delivered when the response is 2xx and arrives within 10 seconds. Otherwise, the message is sent
        again after 1, 5 and 30 minutes and 2, 6 and 12 hours. Redirects are not followed. A message can arrive twice,
        with the same <code>id</code>.
      </p>
    </>
  )
}
