import { AppError } from '../core/errors.ts'
import { parseKeyName } from '../core/accounts/key-name.ts'
import {
  expiryDayOf,
  type KeySettings,
  parseAllowedAddresses,
  parseAllowedHosts,
  parseExpiryDay,
} from '../core/accounts/key-settings.ts'
import type { KeyFields } from '../../views/ui/key-fields.tsx'
import type { Form } from './form.ts'

/** A key's settings as text, for a form. */
export function keyFieldsOf({ name, expiresAtMs, allowedHosts, allowedAddresses }: KeySettings): KeyFields {
  return {
    name,
    expires: expiryDayOf(expiresAtMs),
    hosts: allowedHosts.join('\n'),
    addresses: allowedAddresses.join('\n'),
    errors: {},
  }
}

/** The fields of a form for a new key. */
export const NO_KEY_FIELDS: KeyFields = { name: '', expires: '', hosts: '', addresses: '', errors: {} }

/** Reads a submitted form: the settings, or null and its fields with their errors. */
export function readKeyForm(form: Form, nowMs: number): { settings: KeySettings | null; fields: KeyFields } {
  const fields: KeyFields = {
    name: form('name'),
    expires: form('expires'),
    hosts: form('hosts'),
    addresses: form('addresses'),
    errors: {},
  }
  function parsed<Value>(field: 'name' | 'expires' | 'hosts' | 'addresses', parse: (text: string) => Value) {
    try {
      return parse(fields[field])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      fields.errors[field] = error.message
      return undefined
    }
  }
  const name = parsed('name', parseKeyName)
  const expiresAtMs = parsed('expires', (text) => parseExpiryDay(text, nowMs))
  const allowedHosts = parsed('hosts', parseAllowedHosts)
  const allowedAddresses = parsed('addresses', parseAllowedAddresses)
  if (name === undefined || expiresAtMs === undefined || !allowedHosts || !allowedAddresses) {
    return { settings: null, fields }
  }
  return { settings: { name, expiresAtMs, allowedHosts, allowedAddresses }, fields }
}
