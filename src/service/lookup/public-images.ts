import { endOf } from '../../core/accounts/key-end.ts'
import { isSigned, sign } from '../../core/accounts/token.ts'
import { DAY_MS } from '../../core/duration.ts'
import { AppError } from '../../core/errors.ts'
import type { ImageFetcher } from '../../core/fetch/ports.ts'
import { limitsOf } from '../../core/plan.ts'
import type { CurrentSettings } from '../../core/settings/live-settings.ts'
import type { System } from '../../core/system.ts'
import type { AccountStores } from '../stores.ts'
import type { Admission } from '../usage/admission.ts'

/**
 * The minimum lifetime of a link, so that sites may store a response for some days. Links expire at midnight UTC. All
 * responses of a day thus have the same link, and browsers and proxies find its image in their caches.
 */
const LINK_MS = 7 * DAY_MS

/** The text of the parameters, as in the URL of the link. */
export interface PublicImageLink {
  url: string
  /** The id of the key that requested the metadata. */
  key: string
  /** In Unix seconds. */
  expires: string
  signature: string
}

/**
 * Proxies images of pages for everybody, so that visitors of a site neither contact the hosts of the images nor need them to
 * support https. Only images in responses to a key are fetched, by signed links, and count against its limits.
 */
export type PublicImages = ReturnType<typeof createPublicImages>

export interface PublicImagesDeps extends Pick<AccountStores, 'keys' | 'users'>, Pick<System, 'now'> {
  images: ImageFetcher
  admission: Admission
  settings: CurrentSettings<'plans'>
  secret: Uint8Array
}

export function createPublicImages({ images, keys, users, admission, settings, secret, now }: PublicImagesDeps) {
  /** Returns the user of the key and their limits. @throws AppError `unauthorized` */
  async function subjectOf(keyId: string) {
    const key = await keys.find(keyId)
    const works = key !== null && endOf(key, now()) === null
    const user = works ? await users.find(key.userId) : null
    if (user === null || user.suspendedAtMs !== null) throw new AppError('unauthorized', 'Invalid API key')
    return { keyId, userId: user.id, limits: limitsOf(settings(), user) }
  }

  return {
    link(key: string, url: string): PublicImageLink {
      const expires = String((Math.ceil((now() + LINK_MS) / DAY_MS) * DAY_MS) / 1_000)
      return { url, key, expires, signature: sign(secret, 'public-image', key, url, expires) }
    },

    /** @throws AppError `forbidden` for a link that has expired or was not created by this service */
    verify({ url = '', key = '', expires = '', signature = '' }: Partial<PublicImageLink>) {
      if (!isSigned(signature, secret, 'public-image', key, url, expires)) {
        throw new AppError('forbidden', 'Invalid signature')
      }
      const expiresAtMs = Number(expires) * 1_000
      if (expiresAtMs <= now()) throw new AppError('forbidden', 'The link to this image has expired')
      return { url: new URL(url), key, expiresAtMs }
    },

    /**
     * Fetches the image of a verified link. Private hosts are refused, even if the operator allows them.
     * @param visitor the network of the client
     * @throws AppError `unauthorized` if the key no longer works, `fetch_failed`, `client_closed`; ClientLimitError
     */
    async fetch({ url, key }: { url: URL; key: string }, visitor: string, signal: AbortSignal) {
      const subject = await subjectOf(key)
      await admission.countImage(subject, visitor)
      const { image, facts } = await images.fetch(url, signal, { userId: subject.userId, publicOnly: true })
      if (image !== null) return image
      if (signal.aborted) throw new AppError('client_closed', 'The client closed the connection')
      const problem = facts.problem || `${facts.mimeType} is not supported`
      throw new AppError('fetch_failed', `Failed to fetch image: ${problem}`)
    },
  }
}
