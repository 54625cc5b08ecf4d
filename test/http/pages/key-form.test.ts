import { expect, test } from 'bun:test'

import { readKeyForm } from '../../../src/http/pages/key-form.ts'

test('an error that is not about what was typed is not shown as one', () => {
  let isBroken = true
  const form = () => {
    if (!isBroken) return ''
    isBroken = false
    throw new TypeError('the form is broken')
  }
  expect(() => readKeyForm(form, 0)).toThrow(TypeError)
})
