import { LIMIT_NAMES, type LimitName, LIMITS, type OwnLimits, parseOwnLimit, type Plan } from '../../core/plan.ts'
import { mapNames } from '../../core/map-names.ts'
import type { TextFieldProps } from '../../../views/ui/form.tsx'
import { countText } from '../../../views/ui/number.ts'
import type { Form } from '../session/form.ts'

/** The name of a field, which is also its id and thus differs from the ids of the page's sections. */
const fieldName = (name: LimitName) => `limit_${LIMITS[name].field}`

/** The fields of a user's own limits, as submitted or else as stored; empty for those of the plan. */
export function limitFields(plan: Plan, own: OwnLimits, form?: Form): TextFieldProps[] {
  return LIMIT_NAMES.map((name) => {
    const value = form ? form(fieldName(name)) : String(own[name] ?? '')
    const { error } = parseOwnLimit(name, value)
    const hint = `${plan.label}: ${countText(plan[name])}`
    return { name: fieldName(name), label: LIMITS[name].label, hint, value, error, inputMode: 'numeric' }
  })
}

/** The submitted limits; null if one is invalid. */
export function readLimits(form: Form): OwnLimits | null {
  const parsed = mapNames(LIMIT_NAMES, (name) => parseOwnLimit(name, form(fieldName(name))))
  const isValid = LIMIT_NAMES.every((name) => parsed[name].error === '')
  return isValid ? mapNames(LIMIT_NAMES, (name) => parsed[name].value) : null
}
