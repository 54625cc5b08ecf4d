import { Html } from '@elysiajs/html'
import { Elysia } from 'elysia'

import { AppError } from '../../core/errors.ts'
import { MAX_KEY_NAME_CHARACTERS } from '../../core/key-name.ts'
import type { Plans } from '../../core/plan.ts'
import type { KeyRing } from '../../service/key-ring.ts'
import type { SignedIn } from '../../service/sessions.ts'
import { Keys, type KeysProps } from '../../../views/keys.tsx'
import type { Door, Visitor } from '../door.ts'
import { statusOf } from '../errors.ts'
import { keyItemOf } from '../key-item.ts'
import { queryOf } from '../metadata-query.ts'
import { errorNote, type Observer } from '../observe.ts'
import { pageNumber, pagingOf } from '../paging.ts'

export interface KeyRouteParts {
  door: Door
  keyRing: KeyRing
  plans: Plans
  /** The target of upgrade links; null when not configured. */
  upgradeUrl: string | null
  observer: Observer
}

/** `/keys`: lists, creates and deactivates the user's keys. */
export function keyRoutes({ door, keyRing, plans, upgradeUrl, observer }: KeyRouteParts) {
  type Outcome = Pick<KeysProps, 'form' | 'created'>

  async function show(
    visitor: Visitor,
    { user }: SignedIn,
    { form, created }: Outcome,
    { status = 200, page = 1 } = {},
  ) {
    const { keys, active, total } = await keyRing.list(user.id, page)
    return visitor.show({ path: '/keys', status }, (frame) => (
      <Keys
        frame={frame}
        keys={keys.map(keyItemOf)}
        paging={pagingOf(page, total)}
        active={active}
        plan={plans[user.plan]}
        maxNameCharacters={MAX_KEY_NAME_CHARACTERS}
        upgradeUrl={upgradeUrl}
        form={form}
        created={created}
        idempotencyKey={keyRing.newIdempotencyKey()}
      />
    ))
  }

  return new Elysia()
    .use(door.members)
    .get('/keys', ({ request, visitor, member }) => {
      const page = pageNumber(queryOf(request)('page'))
      return show(visitor, member, { form: null, created: null }, { page })
    })
    .post('/keys', async ({ request, visitor, member, form }) => {
      const name = form('name')
      try {
        const { key } = await keyRing.issueByForm(member.user, name, form('idempotency_key'))
        // Rendered in the response itself: for a redirect the key would have to be stored.
        return await show(visitor, member, { form: null, created: { name: name.trim(), key } })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        observer.note(request, errorNote(error))
        return show(
          visitor,
          member,
          { form: { name, error: error.message }, created: null },
          { status: statusOf(error) },
        )
      }
    })
    .post('/keys/:id/deactivate', async ({ member, params }) => {
      await keyRing.deactivate(member.user.id, params.id)
      return door.goTo('/keys', { notice: 'key_deactivated' })
    })
}
