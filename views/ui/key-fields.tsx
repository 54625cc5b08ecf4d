import type { KeySetting, KeySettings } from '../../src/core/accounts/key-settings.ts'
import { TextField } from './form.tsx'

/** A setting of a key as typed. */
export interface KeyField extends Pick<KeySetting<unknown>, 'label' | 'hint' | 'type'> {
  name: string
  value: string
  /** Why the value is invalid; '' when it is not. */
  error: string
}

export type KeyFields = Record<keyof KeySettings, KeyField>

/** The optional settings of a key. */
export function KeyRestrictionFields({ fields }: { fields: KeyFields }) {
  return (
    <>
      {restrictionsOf(fields).map((field) => (
        <TextField {...field} />
      ))}
    </>
  )
}

/** Whether one of the optional fields has content or an error, so that the fields must be visible. */
export function hasRestrictions(fields: KeyFields): boolean {
  return restrictionsOf(fields).some(({ value, error }) => value !== '' || error !== '')
}

function restrictionsOf(fields: KeyFields): KeyField[] {
  return Object.values(fields).filter((field) => field !== fields.name)
}
