import { AppError } from '../core/errors.ts'

/** A field of a form that was sent; '' when it is not there. Of a repeated one the last value counts. */
export type Form = (name: string) => string

/** What `<form method=post>` sends; other types are what pages elsewhere use to get around a browser's checks. */
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads the form of a request. @throws AppError `invalid_request` for a body of another type */
export async function readForm(request: Request): Promise<Form> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== FORM_TYPE) throw new AppError('invalid_request', `Expected a form as ${FORM_TYPE}`)
  const fields = new URLSearchParams(await request.text())
  return (name) => fields.getAll(name).at(-1) ?? ''
}
