import { Elysia } from 'elysia'

import { AppError } from '../../../core/errors.ts'
import type { Profiles } from '../../../service/profiles.ts'
import type { Door } from '../../door.ts'

/** Removes a way to sign in. */
export const accountIdentityRoutes = ({ door, profiles }: { door: Door; profiles: Profiles }) =>
  new Elysia().use(door.members).post('/account/identities/remove', async ({ member, form }) => {
    const key = { issuer: form('issuer'), subject: form('subject') }
    const outcome = await profiles.removeIdentity(member.user.id, key)
    if (outcome === 'unknown') throw new AppError('not_found', 'You have no such way to sign in')
    if (outcome === 'last') throw new AppError('invalid_request', 'The only way to sign in cannot be removed')
    return door.goTo('/account', { notice: 'identity_removed' })
  })
