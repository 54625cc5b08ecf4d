import { Section, Shell } from './shell.tsx'
import { CodeBlock } from './ui/code.tsx'
import { KeyActivity, type KeyActivityProps } from './key/activity.tsx'
import { KeySettings, type KeySettingsProps } from './key/settings.tsx'
import { FormError, PostForm } from './ui/form.tsx'
import { isRotatable, type KeyItem, KeyLink, keyPath, KeyStatus, type NamedKey, Rejections } from './ui/key-table.tsx'
import { DateTime, RelativeTime, Timestamp } from './ui/time.tsx'

export interface KeyProps extends KeySettingsProps {
  activity: Pick<KeyActivityProps, 'days' | 'requests' | 'failuresByReason' | 'loggedDays'>
  /** The key's successor, when it was rotated and the successor still exists. */
  successor: NamedKey | null
  /** The new key of a rotation, shown only in this response; null otherwise. */
  rotated: { key: string; previousEndsAtMs: number } | null
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
      {rotated !== null && <Rotated rotated={rotated} successor={successor} nowMs={frame.nowMs} />}
      {successor !== null && rotated === null && <Successor item={item} successor={successor} />}
      {item.expiresSoon && (
        <div class="callout warn">
          <p>
            This key expires on <DateTime ms={item.expiresAtMs! - 1} />. Rotate it or choose a later day before requests
            fail.
          </p>
        </div>
      )}
      {item.ended !== null && rotated === null && (
        <div id="rotate" class={item.rejectedRequests > 0 ? 'callout bad' : 'callout'}>
          <p>
            This key <Rejections item={item} />
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

type RotatedProps = Pick<KeyProps, 'successor'> & { rotated: NonNullable<KeyProps['rotated']>; nowMs: number }

function Rotated({ rotated: { key, previousEndsAtMs }, successor, nowMs }: RotatedProps) {
  return (
    <Section id="created" title="Your new key" class="panel created">
      <p>
        <strong>Copy it now.</strong> You will not be able to see it again.{' '}
        {previousEndsAtMs <= nowMs ? (
          'The old key no longer works.'
        ) : (
          <>
            The old key works until <Timestamp ms={previousEndsAtMs} />.
          </>
        )}
      </p>
      <CodeBlock code={key} />
      {successor !== null && (
        <p>
          <a href={keyPath(successor.id)}>Go to the new key</a>
        </p>
      )}
    </Section>
  )
}

function Successor({ item, successor }: { item: KeyItem; successor: NonNullable<KeyProps['successor']> }) {
  return (
    <div class="callout">
      <p>
        Replaced by <KeyLink item={successor} />.
        {item.ended === null && (
          <>
            {' '}
            This key works until <Timestamp ms={item.expiresAtMs!} />.
          </>
        )}
      </p>
    </div>
  )
}
