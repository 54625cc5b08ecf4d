import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import type { RouteDeps } from '../route-deps.ts'

/** Removes a sign-in method. */
export const accountIdentityRoutes = ({ auth, profiles }: RouteDeps) =>
  new Elysia().use(auth.signedInUser).post('/account/identities/remove', async ({ viewer, form }) => {
    const key = { issuer: form('issuer'), subject: form('subject') }
    const outcome = await profiles.removeIdentity(viewer.user.id, key)
    if (outcome === 'unknown') throw new AppError('not_found', 'Sign-in method not found')
    if (outcome === 'last') throw new AppError('invalid_request', 'The only sign-in method cannot be removed')
    return auth.redirectWithNotice('/account', { notice: 'identity_removed' })
  })
