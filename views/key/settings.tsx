import type { PropsWithChildren } from '@kitajs/html'

import type { ExpiryPreset } from '../../src/core/accounts/key-expiry.ts'
import { type Frame, Section } from '../shell.tsx'
import { Confirm, Options, PostForm, TextField } from '../ui/form.tsx'
import { ExpiryField, type KeyField, type KeyFields, restrictionsOf } from '../ui/key-fields.tsx'
import { type KeyItem, keyPath } from '../ui/key-table.tsx'
import { pluralized } from '../ui/number.ts'
import { InlineText } from '../ui/text.tsx'
import { dateText } from '../ui/time.tsx'

export interface KeySettingsProps {
  frame: Frame
  item: KeyItem
  /** The settings, or a submitted group with its errors. */
  fields: KeyFields
  expiryPresets: readonly ExpiryPreset[]
  /** How long a rotated key can keep working; the first choice is to stop it immediately. */
  overlaps: readonly { name: string; label: string }[]
}

/** Each group of settings is saved separately. */
export function KeySettings({ frame, item, fields, expiryPresets, overlaps }: KeySettingsProps) {
  const path = keyPath(item.id)
  const { csrf } = frame
  const isFaulty = (group: readonly KeyField[]) => group.some(({ error }) => error !== '')
  const lists = restrictionsOf(fields)
  const used = lists.filter(({ value }) => value !== '').length
  return (
    <Section id="settings" title="Settings" class="panel">
      {item.replacedById === null && (
        <>
          <Group
            title="Name and expiry"
            value={item.expiresAtMs === null ? 'no expiry' : `until ${dateText(item.expiresAtMs - 1)}`}
            isOpen={isFaulty([fields.name, fields.expiresAtMs])}
          >
            <PostForm action={path} csrf={csrf} class="stack" label="Name and expiry">
              <TextField {...fields.name} isProse isRequired />
              <ExpiryField field={fields.expiresAtMs} presets={expiryPresets} />
              <button class="button primary">Save</button>
            </PostForm>
          </Group>
          <Group title="Restrictions" value={used === 0 ? 'none' : pluralized(used, 'list')} isOpen={isFaulty(lists)}>
            <PostForm action={`${path}/restrictions`} csrf={csrf} class="stack" label="Restrictions">
              {lists.map((field) => (
                <TextField {...field} />
              ))}
              <button class="button primary">Save</button>
            </PostForm>
          </Group>
          <Group title="Rotate" value="a new key with the same settings" isOpen={item.expiresSoon}>
            <Rotation frame={frame} item={item} overlaps={overlaps} />
          </Group>
        </>
      )}
      <Group title="Deactivate" value="for good">
        <PostForm action={`${path}/deactivate`} csrf={csrf} class="stack" label="Deactivate">
          <p>Further requests with this key are rejected (HTTP 401). This cannot be undone.</p>
          <button class="button danger">Deactivate permanently</button>
        </PostForm>
      </Group>
    </Section>
  )
}

interface GroupProps {
  title: string
  /** Shown beside the title: the current setting, or a hint. */
  value: string
  isOpen?: boolean
}

function Group({ title, value, isOpen = false, children }: PropsWithChildren<GroupProps>) {
  return (
    <details class="group" open={isOpen}>
      <summary>
        <strong safe>{title}</strong> <InlineText class="muted" text={value} />
      </summary>
      {children as 'safe'}
    </details>
  )
}

type RotationProps = Pick<KeySettingsProps, 'frame' | 'item' | 'overlaps'>

function Rotation({ frame: { csrf }, item, overlaps: [none, ...overlaps] }: RotationProps) {
  const action = `${keyPath(item.id)}/rotate`
  return (
    <>
      <PostForm action={action} csrf={csrf} class="stack" label="Rotate" busy="Rotating…">
        <p>Creates a new key with the same settings. The old key keeps working for the time you choose.</p>
        <div class="field">
          <label for="overlap">The old key works for</label>
          <select id="overlap" name="overlap">
            <Options value="24h" options={overlaps.map(({ name, label }) => [name, label])} />
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
