import { AppError } from '../../core/errors.ts'
import type { IncomingBodies } from '../server/incoming-bodies.ts'
import { queryIn } from '../server/query.ts'

/** Reads a field of a submitted form; '' when it is missing. If a field is repeated, the last value is used. */
export type Form = (name: string) => string

/**
 * The type of `<form method=post>`. Other types are refused, because cross-site requests use them to avoid browser
 * checks.
 */
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** @throws AppError `invalid_request` for a body of another type */
export async function readForm(request: Request, incomingBodies: IncomingBodies): Promise<Form> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== FORM_TYPE) throw new AppError('invalid_request', `Expected a form as ${FORM_TYPE}`)
  const field = queryIn(await incomingBodies.textOf(request))
  return (name) => field(name) ?? ''
}
