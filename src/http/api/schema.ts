import schemas from './schemas.yaml'

/** The schemas of the OpenAPI document. `MetadataResponse` and its objects may get more properties. */
export const SCHEMAS: Readonly<Record<string, object>> = schemas

/** The JSON Schema of a response with status 200, complete without the OpenAPI document. */
export function metadataSchema(): object {
  const { MetadataResponse, ErrorResponse: _error, ...$defs } = SCHEMAS
  return JSON.parse(JSON.stringify({ ...MetadataResponse, $defs }).replaceAll('#/components/schemas/', '#/$defs/'))
}
