import { AppError } from '../../core/errors.ts'
import { KEY_SETTINGS, type KeySetting, type KeySettings, mapKeySettings } from '../../core/accounts/key-settings.ts'
import type { KeyField, KeyFields } from '../../../views/ui/key-fields.tsx'
import type { Form } from '../session/form.ts'

/** A key's settings as text, for a form. */
export const keyFieldsOf = (settings: KeySettings): KeyFields =>
  mapKeySettings((name) => keyField(name, formatted(name, settings)))

/** The fields of a form for a new key. */
export const NO_KEY_FIELDS: KeyFields = mapKeySettings((name) => keyField(name, ''))

/** Reads a submitted form: the settings, or null and its fields with their errors. */
export function readKeyForm(form: Form, nowMs: number): { settings: KeySettings | null; fields: KeyFields } {
  const settings: Partial<Record<keyof KeySettings, unknown>> = {}
  const fields = mapKeySettings((name) => {
    const { field, parse } = KEY_SETTINGS[name]
    try {
      settings[name] = parse(form(field), nowMs)
      return keyField(name, form(field))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return keyField(name, form(field), error.message)
    }
  })
  const isValid = Object.values(fields).every(({ error }) => error === '')
  return { settings: isValid ? (settings as KeySettings) : null, fields }
}

function formatted<Name extends keyof KeySettings>(name: Name, settings: KeySettings): string {
  const { format }: KeySetting<KeySettings[Name]> = KEY_SETTINGS[name]
  return format(settings[name])
}

function keyField(setting: keyof KeySettings, value: string, error = ''): KeyField {
  const { field: name, label, hint, type } = KEY_SETTINGS[setting]
  return { name, label, hint, type, value, error }
}
