import type { ExpiryPreset } from '../../src/core/accounts/key-expiry.ts'
import type { KeySetting, KeySettings } from '../../src/core/accounts/key-settings.ts'
import { Options, TextField } from './form.tsx'
import { dayText } from './time.tsx'

/** A setting of a key as typed. */
export interface KeyField extends Pick<KeySetting<unknown>, 'label' | 'hint' | 'type' | 'maxLength'> {
  name: string
  value: string
  /** Why the value is invalid; '' when it is not. */
  error: string
}

export type KeyFields = Record<keyof KeySettings, KeyField>

/** The expiry is one of the presets or a date. The date field is shown only if a date is chosen. */
export function ExpiryField({ field, presets }: { field: KeyField; presets: readonly ExpiryPreset[] }) {
  const isPreset = presets.some(({ lastDay }) => lastDay === field.value)
  const hasDate = !isPreset && (field.value !== '' || field.error !== '')
  return (
    <div class="field expiry">
      <label for="expires_in">Expiry</label>
      <select id="expires_in" name="expires_in">
        <option value="never">No expiry</option>
        <Options
          value={field.value}
          options={presets.map(({ days, lastDay }) => [lastDay, `${days} days, until ${dayText(lastDay)}`])}
        />
        <option value="date" selected={hasDate}>
          Another date
        </option>
      </select>
      <TextField {...field} />
    </div>
  )
}

export function restrictionsOf(fields: KeyFields): KeyField[] {
  return Object.values(fields).filter((field) => field !== fields.name && field !== fields.expiresAtMs)
}

/** Whether the expiry or a list has content or an error, so that the fields must be visible. */
export function hasOptions(fields: KeyFields): boolean {
  return [fields.expiresAtMs, ...restrictionsOf(fields)].some(({ value, error }) => value !== '' || error !== '')
}
