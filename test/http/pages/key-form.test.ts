import { describe, expect, test } from 'bun:test'

import { readKeyForm } from '../../../src/http/pages/key-form.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

/** The submitted text of each field; others are empty. */
const formOf = (fields: Readonly<Record<string, string>>) => (name: string) => fields[name] ?? ''

describe('the expiry of a key', () => {
  test.each<[name: string, fields: Record<string, string>, valid: boolean, error: string, shown: string]>([
    ['never', { expires_in: 'never', expires: '2026-12-01' }, true, '', ''],
    ['a day', { expires_in: 'date', expires: '2026-12-01' }, true, '', '2026-12-01'],
    ['a day without a choice, as scripts send it', { expires: '2026-12-01' }, true, '', '2026-12-01'],
    ['the choice of a day without the day', { expires_in: 'date', expires: ' ' }, false, 'date', ' '],
    ['a day that is over', { expires_in: 'date', expires: '2026-11-01' }, false, 'past', '2026-11-01'],
    ['an unknown choice', { expires_in: 'soon' }, false, 'date', ''],
  ])('%s', (_, submitted, valid, error, shown) => {
    const { keySettings, fields } = readKeyForm(formOf(submitted), NOON, ['expiresAtMs'])
    expect(keySettings !== null).toBe(valid)
    expect(fields.expiresAtMs.error).toContain(error)
    // The day that was typed is shown again.
    expect(fields.expiresAtMs.value).toBe(shown)
  })
})

test('an error that is not about what was typed is not shown as one', () => {
  const form = () => {
    throw new TypeError('the form is broken')
  }
  expect(() => readKeyForm(form, NOON)).toThrow(TypeError)
})
