import type { AlertMessage } from '../../src/core/usage/alerts.ts'
import { CodeBlock, JsonBlock } from '../ui/code.tsx'

const VERIFY_IN_TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether the message is from urlmeta and at most 5 minutes old. */
export function isAuthentic(body: string, header: string, secret: string): boolean {
  const [, time, signature] = /^t=(\\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (!time || !signature) return false
  const expected = createHmac('sha256', secret).update(\`\${time}.\${body}\`).digest('hex')
  const isRecent = Math.abs(Date.now() / 1000 - Number(time)) <= 300
  return isRecent && timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
}`

const VERIFY_IN_PYTHON = `import hashlib, hmac, re, time

def is_authentic(body: bytes, header: str, secret: str) -> bool:
    """Whether the message is from urlmeta and at most 5 minutes old."""
    match = re.fullmatch(r"t=(\\d+),v1=([0-9a-f]{64})", header)
    if not match:
        return False
    expected = hmac.new(secret.encode(), match[1].encode() + b"." + body, hashlib.sha256)
    is_recent = abs(time.time() - int(match[1])) <= 300
    return is_recent and hmac.compare_digest(match[2], expected.hexdigest())`

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
      <CodeBlock code={VERIFY_IN_TYPESCRIPT} label="TypeScript" />
      <CodeBlock code={VERIFY_IN_PYTHON} label="Python" />
      <p>
        A message is delivered when the response is 2xx and arrives within 10 seconds. Otherwise, the message is sent
        again after 1, 5 and 30 minutes and 2, 6 and 12 hours. Redirects are not followed. A message can arrive twice,
        with the same <code>id</code>.
      </p>
    </>
  )
}
