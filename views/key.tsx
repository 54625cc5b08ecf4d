import { Section, Shell } from './shell.tsx'
import { CodeBlock } from './ui/code.tsx'
import { KeyActivity, type KeyActivityProps } from './key/activity.tsx'
import { KeySettings, type KeySettingsProps } from './key/settings.tsx'
import { FormError, PostForm } from './ui/form.tsx'
import { isRotatable, keyPath, KeyStatus, Rejections, Replaced, type SuccessorKey } from './ui/key-table.tsx'
import { DateTime, RelativeTime, Timestamp } from './ui/time.tsx'

export interface KeyProps extends KeySettingsProps {
  activity: Pick<KeyActivityProps, 'days' | 'requests' | 'failuresByReason' | 'loggedDays'>
  /** The key's successor, when it was rotated and the successor still exists. */
  successor: SuccessorKey | null
  /** The new key of a rotation, shown only in this response; null otherwise. */
  rotated: { key: string } | null
  /** Why the last action failed; '' when it did not. */
  error: string
}

export function KeyPage(props: KeyProps) {
  const { frame, item, activity, successor, rotated, error } = props
  return (
    <Shell frame={frame} title={item.name} description="Usage and settings of an API key.">
      <p class="crumb">
        <a href="/keys">API keys</a>
      </p>
      <h1 class="name">
        <bdi safe>{item.name}</bdi>
      </h1>
      <p>
        <code class="muted" safe>{`…${item.lastFour}`}</code> <KeyStatus item={item} />{' '}
        <span class="muted">
          · created <DateTime ms={item.createdAtMs} /> · last used{' '}
          <RelativeTime ms={item.lastUsedAtMs} nowMs={frame.nowMs} />
        </span>
      </p>
      <FormError text={error} />
      {rotated !== null && (
        <Section id="created" title="Your new key" class="panel created">
          <p>
            <strong>Copy it now.</strong> You will not be able to see it again.
          </p>
          <CodeBlock code={rotated.key} />
        </Section>
      )}
      {item.expiresSoon && (
        <div class="callout warn">
          <p>
            This key expires on <DateTime ms={item.expiresAtMs! - 1} />. Rotate it or choose a later day before requests
            fail.
          </p>
        </div>
      )}
      {(item.ended !== null || successor !== null) && (
        <div class={item.rejectedRequests > 0 ? 'callout bad' : 'callout'}>
          <p>
            This key{' '}
            {item.ended === null && (
              <>
                works until <Timestamp ms={item.expiresAtMs!} />.
              </>
            )}
            <Rejections item={item} nowMs={frame.nowMs} /> {successor !== null && <Replaced by={successor} />}
          </p>
          {isRotatable(item) && (
            <PostForm action={`${keyPath(item.id)}/rotate`} csrf={frame.csrf} class="stack" busy="Rotating…">
              <p>Rotating it creates a new key with the same settings.</p>
              <input type="hidden" name="overlap" value="0" />
              <button class="button">Rotate</button>
            </PostForm>
          )}
        </div>
      )}
      <KeyActivity {...activity} keyId={item.id} nowMs={frame.nowMs} />
      {item.ended === null && <KeySettings {...props} />}
    </Shell>
  )
}
