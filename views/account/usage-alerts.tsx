import type { AlertDelivery, UsageAlert } from '../../src/core/usage/alerts.ts'
import { type Frame, Section } from '../shell.tsx'
import { Badge } from '../ui/badge.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { Confirm, PostForm, TextField } from '../ui/form.tsx'
import { countText, pluralized } from '../ui/number.ts'
import { Text } from '../ui/text.tsx'
import { dateText, Timestamp } from '../ui/time.tsx'
import { PartsCell, RowHead, Table, TextCell } from '../ui/table.tsx'

export type AlertItem = Pick<UsageAlert, 'month' | 'threshold' | 'used' | 'limit' | 'key'> &
  Pick<AlertDelivery, 'deliveredAtMs' | 'nextAttemptAtMs' | 'error'>

export interface UsageAlertsProps {
  frame: Frame
  /** The saved webhook; null when there is none. */
  webhook: { url: string; secret: string } | null
  /** The latest alerts, newest first. */
  alerts: AlertItem[]
  /** The submitted URL and its error, or why the test message failed; null otherwise. */
  form: { url?: string; error: string; testError: string } | null
}

export function UsageAlerts({ frame, webhook, alerts, form }: UsageAlertsProps) {
  return (
    <Section id="alerts" title="Usage alerts" class="panel">
      <p>
        A signed JSON message is sent to this URL when you reach 80% and 100% of your monthly limit, once per month
        each, when a key expires within a week, and when a request is rejected because its key has ended.
      </p>
      <PostForm action="/account/alerts" csrf={frame.csrf} class="stack" label="Usage alerts">
        <TextField
          name="url"
          label="Webhook URL"
          type="url"
          inputMode="url"
          value={form?.url ?? webhook?.url ?? ''}
          error={form?.error ?? ''}
          placeholder="https://example.com/hooks/urlmeta"
          isRequired
        />
        <button class="button">Save</button>
      </PostForm>
      {webhook !== null && <Configured frame={frame} secret={webhook.secret} testError={form?.testError ?? ''} />}
      {alerts.length > 0 && <Alerts alerts={alerts} />}
    </Section>
  )
}

function Configured({ frame, secret, testError }: { frame: Frame; secret: string; testError: string }) {
  return (
    <>
      <details class="numbers">
        <summary>Signing secret</summary>
        <p class="hint">
          Messages are signed with this secret: in the header <code>Urlmeta-Signature: t=…,v1=…</code>, <code>v1</code>{' '}
          is the HMAC-SHA256 of <code>t</code>, a dot and the body.
        </p>
        <CodeBlock code={secret} />
      </details>
      <Text class="error" role="alert" text={testError} />
      <div class="alert-actions">
        <PostForm action="/account/alerts/test" csrf={frame.csrf} busy="Sending…">
          {/* Autofocus makes browsers scroll to the error above. */}
          <button class="button small" autofocus={testError !== ''}>
            Send a test
          </button>
        </PostForm>
        <Confirm
          action="/account/alerts/remove"
          csrf={frame.csrf}
          label="Remove"
          subject="the webhook"
          question="No further alerts are sent, and the signing secret is deleted."
          confirm="Remove webhook"
        />
      </div>
    </>
  )
}

function Alerts({ alerts }: Pick<UsageAlertsProps, 'alerts'>) {
  return (
    <Table class="cards alerts" caption="Latest alerts" columns={['Month', 'Alert', 'Delivery']}>
      {alerts.map((alert) => (
        <tr>
          <RowHead text={alert.month} />
          <TextCell label="Alert" text={subjectOf(alert)} class="text" />
          <PartsCell label="Delivery">
            <Delivery alert={alert} />
          </PartsCell>
        </tr>
      ))}
    </Table>
  )
}

function subjectOf({ threshold, used, limit, key }: AlertItem): string {
  if (key === null) return `${threshold}%: ${countText(used)} of ${countText(limit)} requests`
  const day = dateText(key.expiresAtMs - 1)
  if (threshold === 0) return `Key ${key.name} expires after ${day}`
  return `Key ${key.name} ended on ${day}: ${pluralized(used, 'request')} rejected`
}

function Delivery({ alert: { deliveredAtMs, nextAttemptAtMs, error } }: { alert: AlertItem }) {
  if (deliveredAtMs !== null) {
    return (
      <>
        <Badge tone="good" text="Delivered" /> <Timestamp ms={deliveredAtMs} />
      </>
    )
  }
  return (
    <>
      {error === null ? <Badge text="Pending" /> : <Badge tone="bad" text="Failed" />}{' '}
      {error !== null && <span safe>{`${error}. `}</span>}
      {nextAttemptAtMs === null ? (
        'Will not be retried.'
      ) : (
        <>
          Next attempt at <Timestamp ms={nextAttemptAtMs} />
        </>
      )}
    </>
  )
}
