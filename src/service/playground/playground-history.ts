import { PLAYGROUND_RETENTION_MS } from '../../core/lifetimes.ts'
import type { ErrorKind, FetchFailure } from '../../core/errors.ts'
import type { ImageFacts } from '../../core/fetch/image-facts.ts'
import type { PageResult } from '../../core/fetch/page-result.ts'
import type { OembedFacts } from '../../core/oembed/facts.ts'
import type { PlaygroundResults } from '../../core/previews/ports.ts'
import type { RobotsFacts } from '../../core/previews/robots.ts'
import type { ResultDetails } from '../../core/fetch/result-details.ts'
import { formatToken, TOKEN_BYTES } from '../../core/accounts/token.ts'
import type { FetchTrace } from '../../core/fetch/trace.ts'

/** Incremented when the format of records changes: during an upgrade, processes of two versions may share Redis. */
const FORMAT = 1

export interface SubmittedForm {
  /** As typed, or with `https://` added. */
  url: string
  /** Milliseconds as typed. */
  timeout: string
  isFresh: boolean
}

export type PlaygroundOutcome =
  /** The form is invalid. `errors` has the message of each field; '' for none. */
  | { kind: 'invalid'; errors: { url: string; timeout: string } }
  | {
      kind: 'success'
      /** The requested URL, normalized. */
      url: string
      result: PageResult
      cached: boolean
      details: ResultDetails | null
      /** The images that were requested for link previews. */
      images: ImageFacts[]
      /** The oEmbed response that was requested for them; null for none. */
      oembed: OembedFacts | null
      /** The facts from robots.txt for the page and its images. */
      robots: RobotsFacts[]
      /** HTML that replaces the tags of the page in link previews; null when they are not edited. */
      editedTags: string | null
    }
  | {
      kind: 'failure'
      /** The API's status. */
      status: number
      error: string
      cause: { kind: ErrorKind; failure: FetchFailure | null; siteStatus: number | null }
      /** Null when no request was made. */
      trace: FetchTrace | null
    }

/** A submitted form and its outcome, as plain data. Addresses that the viewer may not see are removed when shown. */
export interface PlaygroundRecord {
  form: SubmittedForm
  /** Whether `https://` was added to the URL. */
  isCompleted: boolean
  outcome: PlaygroundOutcome
}

/** Stored results. Each has a page, which can be reloaded, bookmarked and returned to without the form. */
export type PlaygroundHistory = ReturnType<typeof createPlaygroundHistory>

export interface PlaygroundHistoryDeps {
  results: PlaygroundResults
  /** Records of another allow-list are not shown, because they may be of private hosts that are no longer allowed. */
  allowListId: () => string
  now: () => number
  randomBytes: (length: number) => Uint8Array
}

export function createPlaygroundHistory(deps: PlaygroundHistoryDeps) {
  const { results, allowListId, now, randomBytes } = deps
  const format = () => `${FORMAT}${allowListId()}`
  const put = (userId: string, id: string, record: PlaygroundRecord) => {
    const json = JSON.stringify({ format: format(), ...record })
    return results.put({ id, userId, json, expiresAtMs: now() + PLAYGROUND_RETENTION_MS })
  }

  return {
    /** Stores a result for an hour, and returns its id, which cannot be guessed. */
    async save(userId: string, record: PlaygroundRecord): Promise<string> {
      const id = formatToken(randomBytes(TOKEN_BYTES))
      await put(userId, id, record)
      return id
    },

    /** The user's result; null when it is unknown, expired, another user's, or of another version or allow-list. */
    async find(userId: string, id: string): Promise<PlaygroundRecord | null> {
      const json = await results.get(userId, id, now())
      if (json === null) return null
      const { format: stored, ...record } = JSON.parse(json) as PlaygroundRecord & { format?: string }
      return stored === format() ? record : null
    },

    /** Replaces a result of the user, and keeps it for another hour. */
    replace: put,
  }
}
