import { escapeHtml } from '@kitajs/html'

import { Badge } from '../ui/badge.tsx'
import { countText } from '../ui/number.ts'
import { InlineText } from '../ui/text.tsx'
import type { ApiParameter, ApiSchema } from './api-document.ts'

export interface FieldListProps {
  fields: readonly ApiParameter[]
  /** Whether these are fields of a response, which are labeled `always present` instead of `required`. */
  isResponse?: boolean
}

export function FieldList({ fields, isResponse = false }: FieldListProps) {
  return (
    <dl class="fields">
      {fields.map((field) => (
        <Field {...field} isResponse={isResponse} />
      ))}
    </dl>
  )
}

type FieldProps = ApiParameter & { isResponse: boolean }

function Field({ name, schema, required = false, deprecated = false, description, isResponse }: FieldProps) {
  const inner = fieldsOf(schema)
  return (
    <div>
      <dt>
        <code safe>{name}</code> <InlineText class="muted" text={typeText(schema)} />{' '}
        {required && <Badge tone="accent" text={isResponse ? 'always present' : 'required'} />}
        {deprecated && <Badge text="deprecated" />}
      </dt>
      <dd>
        <ProseText text={description ?? schema.description ?? ''} />
        {boundsText(schema) !== '' && <ProseText class="hint" text={boundsText(schema)} />}
        {inner.length > 0 && <FieldList fields={inner} isResponse={isResponse} />}
      </dd>
    </div>
  )
}

/** The fields of an object, in the order of its schema. */
export function fieldsOf({ properties = {}, required = [] }: ApiSchema): ApiParameter[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

const REFERENCE_PREFIX = '#/components/schemas/'

/** The schema with named schemas in place of the references to them. */
export function inlined(schema: ApiSchema, schemas: Record<string, ApiSchema>): ApiSchema {
  const named = schemas[schema.$ref?.slice(REFERENCE_PREFIX.length) ?? ''] ?? schema
  if (named.properties === undefined) return named
  const properties = Object.entries(named.properties).map(([name, inner]) => [name, inlined(inner, schemas)])
  return { ...named, properties: Object.fromEntries(properties) }
}

const typeText = ({ type = '', format }: ApiSchema): string => (format === undefined ? type : `${type}, ${format}`)

function boundsText({ minimum, maximum, maxLength, default: defaultValue, enum: values, examples }: ApiSchema): string {
  const bounds = [
    minimum !== undefined && maximum !== undefined && `${countText(minimum)} to ${countText(maximum)}.`,
    maxLength !== undefined && `At most ${countText(maxLength)} characters.`,
    defaultValue !== undefined && `Default \`${String(defaultValue)}\`.`,
    values !== undefined && `One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    examples?.[0] !== undefined && sentence(`Example: \`${String(examples[0])}\``),
  ]
  return bounds.filter((bound) => bound !== false).join(' ')
}

/** Adds a full stop, unless the text in backticks ends with one. */
const sentence = (text: string): string => (text.endsWith('.`') ? text : `${text}.`)

/** A paragraph of `Prose`. */
export const ProseText = ({ text, class: name }: { text: string; class?: string }) => (
  <p class={name}>
    <Prose text={text} />
  </p>
)

/** Text in which code is between backticks. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code safe>{part}</code> : escapeHtml(part)))}</>
}
