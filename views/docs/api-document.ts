/** The parts of the OpenAPI 3.1 document that the documentation page shows. */
export interface ApiDocument {
  info: { version: string; summary: string; description: string }
  paths: Record<string, Record<string, ApiOperation>>
  components: { schemas: Record<string, ApiSchema> }
}

export interface ApiOperation {
  description: string
  parameters: ApiParameter[]
  responses: Record<string, ApiResponse>
}

/** A parameter, a header, or a field of a response. */
export interface ApiParameter {
  name: string
  /** Whether it is required in a request, or always present in a response. */
  required?: boolean
  deprecated?: boolean
  /** Overrides the description of the schema. */
  description?: string
  schema: ApiSchema
}

export interface ApiResponse {
  description: string
  headers?: Record<string, { description: string; schema: ApiSchema }>
  /** Absent for responses without a body. */
  content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>
}

/** The JSON Schema keywords that the document uses. */
export interface ApiSchema {
  /** `#/components/schemas/<name>`. */
  $ref?: string
  type?: string
  format?: string
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  enum?: string[]
  examples?: unknown[]
  required?: string[]
  properties?: Record<string, ApiSchema>
}
