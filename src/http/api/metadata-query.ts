import { LRUCache } from 'lru-cache'

import { BROWSER_KEY_REFUSALS } from '../../core/accounts/key-settings.ts'
import { EXTRA_NAMES, type ExtraName, extraRule, parseExtraNames } from '../../core/extract/fields/extra.ts'
import type { AllowRule } from '../../core/net/egress.ts'
import { keepingLast } from '../../core/memoized.ts'
import type { CurrentSettings, LiveSettings } from '../../core/settings/live-settings.ts'
import { AppError } from '../../core/errors.ts'
import { ACCEPT_LANGUAGE_RULE, inLanguage, parseAcceptLanguage } from '../../core/net/language.ts'
import { FETCH_TIMEOUT_MS, FETCH_TIMEOUT_RULE, parseFetchTimeout } from '../../core/limits.ts'
import { parseTargetUrl, type Target } from '../../core/net/url.ts'
import { type Query, queryIn } from '../server/query.ts'

/** The parameters of `GET /v1/metadata`. Immutable, because requests with the same query share one object. */
export interface MetadataParameters {
  /** The URL as the caller wrote it, as a JSON string. */
  readonly urlJson: string
  /** The host of the URL, with its port. Stored, because `URL` composes it on each access. */
  readonly host: string
  readonly target: Target
  readonly timeoutMs: number
  readonly readCache: boolean
  /** The fields of the object `extra`; null if the response has no `extra`. */
  readonly fields: readonly ExtraName[] | null
}

/** The limits of the cache of parsed queries. The number of queries equals the number of results cached in memory. */
const MAX_QUERIES = 10_000
const MAX_QUERY_CHARACTERS = 2 * 1024 * 1024

/** Parses queries of `GET /v1/metadata`. The parser throws AppError `invalid_request`. */
export function createMetadataQueryParser(settings: CurrentSettings<'allow'>) {
  const parserWith = keepingLast(cachingParser)
  return (search: string, isForBrowser = false): MetadataParameters =>
    // A browser key is visible to everybody, so it gives no access to private hosts, even if the operator allows them.
    isForBrowser ? parseMetadataQuery(queryIn(search), [], true) : parserWith(settings())(search)
}

/** Keeps valid queries, because parsing and checking a URL takes longer than the rest of a cached response. */
function cachingParser({ allow }: Pick<LiveSettings, 'allow'>) {
  const parsed = new LRUCache<string, MetadataParameters>({
    max: MAX_QUERIES,
    maxSize: MAX_QUERY_CHARACTERS,
    sizeCalculation: (_, key) => key.length || 1,
  })
  return (search: string): MetadataParameters => {
    const cached = parsed.get(search)
    if (cached) return cached
    const query = queryIn(search)
    const parameters = parseMetadataQuery(query, allow)
    // A query with a key is not cached, so that keys are not kept in memory.
    if (query('api_key') === null) parsed.set(search, parameters)
    return parameters
  }
}

/** Checks the parameters. Parsing is strict: `5e3` is not an integer and `1` is not a boolean. */
function parseMetadataQuery(query: Query, allow: readonly AllowRule[], isForBrowser = false): MetadataParameters {
  const url = query('url') ?? ''
  const target = parseTargetUrl(url, allow)
  if ('reason' in target) throw new AppError('invalid_request', `Invalid URL: ${target.reason}`)
  const timeoutText = query('timeout')
  const timeoutMs = timeoutText === null ? FETCH_TIMEOUT_MS.default : parseFetchTimeout(timeoutText)
  if (timeoutMs === null) throw invalid('timeout', FETCH_TIMEOUT_RULE)
  const cache = query('cache') ?? 'true'
  if (cache !== 'true' && cache !== 'false') throw invalid('cache', 'true or false')
  if (isForBrowser && cache === 'false') throw new AppError('invalid_request', BROWSER_KEY_REFUSALS.cache)
  const language = query('language')
  if (language !== null && parseAcceptLanguage(language) === null) throw invalid('language', ACCEPT_LANGUAGE_RULE)
  const fieldsText = query('fields')
  const fields = fieldsText === null ? null : parseExtraNames(fieldsText, EXTRA_NAMES)
  if (fieldsText !== null && fields === null) throw invalid('fields', extraRule(EXTRA_NAMES))
  const urlJson = JSON.stringify(url)
  const { host } = target.url
  return { urlJson, host, target: inLanguage(target, language), timeoutMs, readCache: cache === 'true', fields }
}

const invalid = (name: string, rule: string) => new AppError('invalid_request', `Invalid ${name}: must be ${rule}`)
