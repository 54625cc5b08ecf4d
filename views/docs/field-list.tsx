import { Html } from '@elysiajs/html'

import { count } from '../ui/number.ts'
import type { ApiSchema } from './api-document.ts'
import { Prose } from './prose.tsx'

export interface FieldProps {
  name: string
  schema: ApiSchema
  isRequired: boolean
  /** Beats the schema's own. */
  description?: string | undefined
}

/** Parameters, fields or headers with type, bounds and meaning. */
export function FieldList({ fields }: { fields: readonly FieldProps[] }) {
  return (
    <dl class="fields">
      {fields.map((field) => (
        <Field {...field} />
      ))}
    </dl>
  )
}

function Field({ name, schema, isRequired, description }: FieldProps) {
  const inner = fieldsOf(schema)
  return (
    <div>
      <dt>
        <code safe>{name}</code>{' '}
        <span class="muted" safe>
          {typeText(schema)}
        </span>{' '}
        {isRequired && <span class="badge accent">required</span>}
      </dt>
      <dd>
        <p>
          <Prose text={description ?? schema.description ?? ''} />
        </p>
        {boundsText(schema) !== '' && (
          <p class="hint">
            <Prose text={boundsText(schema)} />
          </p>
        )}
        {inner.length > 0 && <FieldList fields={inner} />}
      </dd>
    </div>
  )
}

/** The fields of an object's schema, in its order. */
export function fieldsOf(schema: ApiSchema): FieldProps[] {
  const required: readonly string[] = schema.required ?? []
  return Object.entries(schema.properties ?? {}).map(([name, inner]) => ({
    name,
    schema: inner,
    isRequired: required.includes(name),
  }))
}

function typeText({ type = '', format }: ApiSchema): string {
  return format === undefined ? type : `${type}, ${format}`
}

function boundsText({ minimum, maximum, maxLength, default: usual, enum: values, examples }: ApiSchema): string {
  const bounds = [
    minimum !== undefined && maximum !== undefined && `${count(minimum)} to ${count(maximum)}.`,
    maxLength !== undefined && `At most ${count(maxLength)} characters.`,
    usual !== undefined && `Default \`${String(usual)}\`.`,
    values !== undefined && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    examples?.[0] !== undefined && `Such as \`${String(examples[0])}\`.`,
  ]
  return bounds.filter((bound) => bound !== false).join(' ')
}
