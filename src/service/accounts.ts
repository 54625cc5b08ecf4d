import { API_KEY_BYTES, formatApiKey, hashApiKey, lastFourOf } from '../core/api-key.ts'
import { AppError } from '../core/errors.ts'
import { parseEmail } from '../core/email.ts'
import type { PlanName, Plans } from '../core/plan.ts'
import type { ApiKey, Keys, User, Users } from '../core/ports.ts'

/** A key name longer than this is no name; it bounds what a list has to show. */
const MAX_KEY_NAME_CHARACTERS = 100

export interface Accounts {
  /**
   * Makes a key, and its user (on `plan`, or Free) when there is none yet; a plan given for an existing user changes it.
   * The key itself is returned this once and cannot be read again.
   * @throws AppError `invalid_request`; `key_limit` when the user holds as many active keys as the plan allows
   */
  createKey(request: { email: string; name?: string; plan?: PlanName }): Promise<{ id: string; key: string }>
  listKeys(): Promise<(ApiKey & { email: string })[]>
  /** @throws AppError `not_found` */
  deactivateKey(id: string): Promise<void>
  listUsers(): Promise<User[]>
  /** @throws AppError `not_found` */
  setPlan(email: string, plan: PlanName): Promise<User>
}

export interface AccountsParts {
  users: Users
  keys: Keys
  plans: Plans
  /** Unix milliseconds. */
  now: () => number
  newId: () => string
  randomBytes: (length: number) => Uint8Array
}

export function createAccounts({ users, keys, plans, now, newId, randomBytes }: AccountsParts): Accounts {
  const requireEmail = (text: string) => {
    const email = parseEmail(text)
    if (!email) throw new AppError('invalid_request', `Not an email address: ${JSON.stringify(text)}`)
    return email
  }

  const setPlan = async (text: string, plan: PlanName) => {
    const user = await users.setPlan(requireEmail(text), plan)
    if (!user) throw new AppError('not_found', `No user has the email ${text}`)
    return user
  }

  return {
    async createKey({ email: text, name = 'default', plan }) {
      const email = requireEmail(text)
      const label = name.trim()
      if (!label || label.length > MAX_KEY_NAME_CHARACTERS) {
        throw new AppError('invalid_request', `A key's name has 1 to ${MAX_KEY_NAME_CHARACTERS} characters`)
      }
      let user = await users.ensure({ id: newId(), email, plan: plan ?? 'free', createdAtMs: now() })
      if (plan && plan !== user.plan) user = await setPlan(email, plan)

      const key = formatApiKey(randomBytes(API_KEY_BYTES))
      const id = newId()
      const { maxKeys, label: planLabel } = plans[user.plan]
      const record = { id, userId: user.id, name: label, hash: hashApiKey(key), lastFour: lastFourOf(key) }
      if (!(await keys.create({ ...record, createdAtMs: now() }, maxKeys))) {
        throw new AppError(
          'key_limit',
          `${email} already has ${maxKeys} active keys, the most the ${planLabel} plan allows: ` +
            'deactivate one or change the plan',
        )
      }
      return { id, key }
    },

    listKeys: () => keys.list(),

    async deactivateKey(id) {
      if (!(await keys.deactivate(id, now()))) throw new AppError('not_found', `No key has the id ${id}`)
    },

    listUsers: () => users.list(),
    setPlan,
  }
}
