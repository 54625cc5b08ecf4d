import { type Frame, Shell } from './shell.tsx'
import { CodeBlock } from './ui/code.tsx'
import { Confirm, PostForm, TextField } from './ui/form.tsx'
import { type KeyFields, KeyRestrictionFields } from './ui/key-fields.tsx'
import { keyPath, KeyStatus, type KeyItem } from './ui/key-table.tsx'
import { DateTime, RelativeTime, Timestamp } from './ui/time.tsx'

export interface KeyProps {
  frame: Frame
  item: KeyItem
  /** The settings, or the submitted form with its errors. */
  fields: KeyFields
  maxNameCharacters: number
  /** How long a rotated key can keep working. */
  overlaps: readonly { name: string; label: string }[]
  /** The key's successor, when it was rotated and the successor still exists. */
  successor: { id: string; name: string; lastFour: string } | null
  /** The new key of a rotation, shown only in this response; null otherwise. */
  rotated: { key: string; previousEndsAtMs: number } | null
  /** Why the last action failed; '' when it did not. */
  error: string
}

/** One key: its settings, rotation and deactivation. */
export function KeyPage(props: KeyProps) {
  const { frame, item, fields, maxNameCharacters, successor, rotated, error } = props
  const path = keyPath(item.id)
  const canChange = item.state === 'active' && !item.isReplaced
  return (
    <Shell frame={frame} title={item.name} description="Settings of an API key.">
      <p class="crumb">
        <a href="/keys">API keys</a>
      </p>
      <h1 class="name">
        <bdi safe>{item.name}</bdi>
      </h1>
      <p>
        <KeyStatus item={item} nowMs={frame.nowMs} />{' '}
        <span class="muted">
          <code safe>{`…${item.lastFour}`}</code> · created <DateTime ms={item.createdAtMs} /> · last used{' '}
          <RelativeTime ms={item.lastUsedAtMs} nowMs={frame.nowMs} />
        </span>
      </p>
      <p class="actions">
        <a class="button small" href={`/usage/requests?key=${encodeURIComponent(item.id)}`}>
          View requests
        </a>
        <a class="button small" href={`/usage?key=${encodeURIComponent(item.id)}`}>
          View usage
        </a>
      </p>
      {error !== '' && (
        <p class="notice bad" role="alert" safe>
          {error}
        </p>
      )}
      {rotated !== null && <Rotated rotated={rotated} nowMs={frame.nowMs} />}
      {successor !== null && rotated === null && <Successor item={item} successor={successor} />}
      {canChange && (
        <>
          <section class="panel" aria-labelledby="settings">
            <h2 id="settings">Settings</h2>
            <PostForm action={path} csrf={frame.csrf} class="stack" label="Settings">
              <TextField {...fields.name} maxLength={maxNameCharacters} isRequired />
              <KeyRestrictionFields fields={fields} />
              <p>
                <button class="button primary">Save</button>
              </p>
            </PostForm>
          </section>
          <Rotation {...props} />
        </>
      )}
      {item.state === 'active' && (
        <section class="panel danger" aria-labelledby="deactivate">
          <h2 id="deactivate">Deactivate</h2>
          <p>Further requests with this key are rejected (HTTP 401). This cannot be undone.</p>
          <Confirm
            action={`${path}/deactivate`}
            csrf={frame.csrf}
            label="Deactivate"
            subject={`key ${item.name}`}
            question="Requests with this key fail from now on."
            confirm="Deactivate permanently"
          />
        </section>
      )}
    </Shell>
  )
}

function Rotation({ frame, item, overlaps }: KeyProps) {
  return (
    <section class="panel" aria-labelledby="rotate">
      <h2 id="rotate">Rotate</h2>
      <p>Creates a new key with the same settings. The old key keeps working for the time you choose.</p>
      <PostForm action={`${keyPath(item.id)}/rotate`} csrf={frame.csrf} class="stack" label="Rotate" busy="Rotating…">
        <div class="field">
          <label for="overlap">The old key works for</label>
          <select id="overlap" name="overlap">
            {overlaps.map(({ name, label }) => (
              <option value={name} selected={name === '24h'} safe>
                {label}
              </option>
            ))}
          </select>
        </div>
        <p>
          <button class="button">Rotate key</button>
        </p>
      </PostForm>
    </section>
  )
}

function Rotated({ rotated, nowMs }: { rotated: NonNullable<KeyProps['rotated']>; nowMs: number }) {
  const { key, previousEndsAtMs } = rotated
  return (
    <section class="panel created" aria-labelledby="created">
      <h2 id="created">Your new key</h2>
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
    </section>
  )
}

function Successor({ item, successor }: { item: KeyItem; successor: NonNullable<KeyProps['successor']> }) {
  return (
    <div class="callout">
      <p>
        Replaced by{' '}
        <a href={keyPath(successor.id)}>
          <bdi safe>{successor.name}</bdi> <code safe>{`…${successor.lastFour}`}</code>
        </a>
        .
        {item.state !== 'deactivated' && item.expiresAtMs !== null && (
          <>
            {' '}
            This key {item.state === 'active' ? 'works until' : 'stopped working on'}{' '}
            <Timestamp ms={item.expiresAtMs} />.
          </>
        )}
      </p>
    </div>
  )
}
