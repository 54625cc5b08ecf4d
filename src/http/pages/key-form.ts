import { AppError } from '../../core/errors.ts'
import { EXPECTED_DATE } from '../../core/accounts/key-expiry.ts'
import {
  KEY_SETTING_NAMES,
  KEY_SETTINGS,
  type KeySetting,
  type KeySettings,
  mapKeySettings,
} from '../../core/accounts/key-settings.ts'
import type { KeyField, KeyFields } from '../../../views/ui/key-fields.tsx'
import type { Form } from '../session/form.ts'

/** A key's settings as text, for a form. */
export const keyFieldsOf = (settings: KeySettings): KeyFields =>
  mapKeySettings((name) => keyField(name, formatted(name, settings)))

/** Empty fields, for a new key. */
export const NO_KEY_FIELDS: KeyFields = mapKeySettings((name) => keyField(name, ''))

/**
 * Reads the named settings of a submitted form. If one is invalid, `keySettings` is null and its field has the error.
 */
export function readKeyForm<Name extends keyof KeySettings = keyof KeySettings>(
  form: Form,
  nowMs: number,
  names: readonly Name[] = KEY_SETTING_NAMES as Name[],
): { keySettings: Pick<KeySettings, Name> | null; fields: Pick<KeyFields, Name> } {
  const read = names.map((name) => {
    const { field, parse } = KEY_SETTINGS[name]
    try {
      const text = name === 'expiresAtMs' ? expiryDayIn(form) : form(field)
      return { name, value: parse(text, nowMs), field: keyField(name, text) }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { name, value: null, field: keyField(name, form(field), error.message) }
    }
  })
  const isValid = read.every(({ field }) => field.error === '')
  const keySettings = Object.fromEntries(read.map(({ name, value }) => [name, value])) as Pick<KeySettings, Name>
  const fields = Object.fromEntries(read.map(({ name, field }) => [name, field])) as Pick<KeyFields, Name>
  return { keySettings: isValid ? keySettings : null, fields }
}

/** The chosen last day of a key; '' for no expiry. */
function expiryDayIn(form: Form): string {
  const choice = form('expires_in')
  if (choice === 'never') return ''
  if (choice !== 'date' && choice !== '') return choice
  const day = form(KEY_SETTINGS.expiresAtMs.field)
  if (choice === 'date' && day.trim() === '') throw new AppError('invalid_request', EXPECTED_DATE)
  return day
}

function formatted<Name extends keyof KeySettings>(name: Name, settings: KeySettings): string {
  const { format }: KeySetting<KeySettings[Name]> = KEY_SETTINGS[name]
  return format(settings[name])
}

function keyField(setting: keyof KeySettings, value: string, error = ''): KeyField {
  const { field: name, label, hint, type, maxLength } = KEY_SETTINGS[setting]
  return { name, label, hint, type, maxLength, value, error }
}
