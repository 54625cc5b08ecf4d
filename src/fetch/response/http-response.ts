import type { Readable } from 'node:stream'

import type { HeaderFields } from '../../core/net/header-fields.ts'

/** The final response to a request, whose body may still be arriving. */
export interface HttpResponse {
  status: number
  fields: HeaderFields
  /** The body as sent, without chunk framing. Destroying it closes the connection, unless the body has ended. */
  body: Readable
  /** Set if `body` ended early: a FetchError, or the error of the socket. Known when `body` has ended. */
  failure: Error | null
  /** Whether the response has a valid Content-Length. */
  hasLength: boolean
}
