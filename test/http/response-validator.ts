import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

export interface NamedSchemas {
  components: { schemas: Record<string, object> }
}

/**
 * Checks values against a named schema of an OpenAPI document. `strict` also rejects properties that are not in the
 * schemas, although the schemas allow them.
 */
export function validatorOf({ components }: NamedSchemas, name: string, { strict }: { strict: boolean }) {
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv, ['date-time', 'uri', 'uuid'])
  ajv.addFormat('int64', { type: 'number', validate: Number.isInteger })
  const schemas = Object.entries(components.schemas).map(([schemaName, schema]) => [
    schemaName,
    strict ? { ...schema, additionalProperties: false } : schema,
  ])
  return ajv.compile({
    $ref: `#/components/schemas/${name}`,
    components: { schemas: Object.fromEntries(schemas) },
  })
}
