import type { PropsWithChildren } from '@kitajs/html'

import type { ExpiryPreset } from '../src/core/accounts/key-expiry.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { CodeBlock } from './ui/code.tsx'
import { KeyActivity, type KeyActivityProps } from './key/activity.tsx'
import { Confirm, FormError, PostForm, TextField } from './ui/form.tsx'
import { ExpiryField, type KeyField, type KeyFields, restrictionsOf } from './ui/key-fields.tsx'
import { type KeyItem, keyPath, KeyStatus } from './ui/key-table.tsx'
import { pluralized } from './ui/number.ts'
import { dateText, DateTime, RelativeTime, Timestamp } from './ui/time.tsx'

export interface KeyProps {
  frame: Frame
  item: KeyItem
  /** The settings, or a submitted group with its errors. */
  fields: KeyFields
  expiryPresets: readonly ExpiryPreset[]
  /** How long a rotated key can keep working; the first one is not at all. */
  overlaps: readonly { name: string; label: string }[]
  activity: Pick<KeyActivityProps, 'days' | 'requests' | 'failuresByReason' | 'loggedDays'>
  /** The key's successor, when it was rotated and the successor still exists. */
  successor: { id: string; name: string; lastFour: string } | null
  /** The new key of a rotation, shown only in this response; null otherwise. */
  rotated: { key: string; previousEndsAtMs: number } | null
  /** Why the last action failed; '' when it did not. */
  error: string
}

/** One key: what happened with it, and its settings. */
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
      <KeyActivity {...activity} keyId={item.id} nowMs={frame.nowMs} />
      {item.state === 'active' && <KeySettings {...props} />}
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

/** The settings of a key in groups that are saved separately, its rotation and its deactivation. */
function KeySettings(props: KeyProps) {
  const { frame, item, fields, expiryPresets } = props
  const path = keyPath(item.id)
  const { csrf } = frame
  const isFaulty = (group: readonly KeyField[]) => group.some(({ error }) => error !== '')
  const lists = restrictionsOf(fields)
  const used = lists.filter(({ value }) => value !== '').length
  return (
    <Section id="settings" title="Settings" class="panel">
      {!item.isReplaced && (
        <>
          <Group
            title="Name and expiry"
            summary={item.expiresAtMs === null ? 'no expiry' : `until ${dateText(item.expiresAtMs - 1)}`}
            isOpen={isFaulty([fields.name, fields.expiresAtMs])}
          >
            <PostForm action={path} csrf={csrf} class="stack" label="Name and expiry">
              <TextField {...fields.name} isProse isRequired />
              <ExpiryField field={fields.expiresAtMs} presets={expiryPresets} />
              <button class="button primary">Save</button>
            </PostForm>
          </Group>
          <Group title="Restrictions" summary={used === 0 ? 'none' : pluralized(used, 'list')} isOpen={isFaulty(lists)}>
            <PostForm action={`${path}/restrictions`} csrf={csrf} class="stack" label="Restrictions">
              {lists.map((field) => (
                <TextField {...field} />
              ))}
              <button class="button primary">Save</button>
            </PostForm>
          </Group>
          <Group title="Rotate" summary="a new key with the same settings" isOpen={item.expiresSoon}>
            <Rotation {...props} />
          </Group>
        </>
      )}
      <Group title="Deactivate" summary="for good">
        <PostForm action={`${path}/deactivate`} csrf={csrf} class="stack" label="Deactivate">
          <p>Further requests with this key are rejected (HTTP 401). This cannot be undone.</p>
          <button class="button danger">Deactivate permanently</button>
        </PostForm>
      </Group>
    </Section>
  )
}

function Group(props: PropsWithChildren<{ title: string; summary: string; isOpen?: boolean }>) {
  const { title, summary, isOpen = false, children } = props
  return (
    <details class="group" open={isOpen}>
      <summary>
        <strong safe>{title}</strong>{' '}
        <span class="muted" safe>
          {summary}
        </span>
      </summary>
      {children as 'safe'}
    </details>
  )
}

function Rotation({ frame: { csrf }, item, overlaps: [none, ...overlaps] }: KeyProps) {
  const action = `${keyPath(item.id)}/rotate`
  return (
    <>
      <PostForm action={action} csrf={csrf} class="stack" label="Rotate" busy="Rotating…">
        <p>Creates a new key with the same settings. The old key keeps working for the time you choose.</p>
        <div class="field">
          <label for="overlap">The old key works for</label>
          <select id="overlap" name="overlap">
            {overlaps.map(({ name: value, label }) => (
              <option value={value} selected={value === '24h'} safe>
                {label}
              </option>
            ))}
          </select>
        </div>
        <button class="button">Rotate key</button>
      </PostForm>
      <Confirm
        action={action}
        csrf={csrf}
        label="Stop the old key immediately"
        subject={item.name}
        question="Creates the new key and stops this one at once: requests with it are rejected (HTTP 401) until your apps use the new key."
        confirm="Rotate and stop the old key"
      >
        <input type="hidden" name="overlap" value={none!.name} />
      </Confirm>
    </>
  )
}
