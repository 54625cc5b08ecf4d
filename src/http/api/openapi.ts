import { BROWSER_KEY_REFUSALS, mapAllowLists, notAllowed } from '../../core/accounts/key-settings.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import { type ClientLimit, ClientLimitError, MinuteLimitError, MonthLimitError } from '../../core/errors.ts'
import { EXTRA_NAMES, extraRule } from '../../core/extract/fields/extra.ts'
import {
  FETCH_TIMEOUT_MS,
  FETCH_TIMEOUT_RULE,
  MAX_REQUEST_BODY_BYTES,
  MAX_REQUEST_HEAD_BYTES,
  MAX_URL_CHARACTERS,
} from '../../core/limits.ts'
import { ACCEPT_LANGUAGE_RULE, MAX_LANGUAGE_CHARACTERS } from '../../core/net/language.ts'
import { PLAN_NAMES, type Plan, PLAN_OF_NEW_USERS, type Plans } from '../../core/plan.ts'
import { IMAGES_PER_RESPONSE } from '../../service/usage/admission.ts'
import { FAILURES_PER_MINUTE } from '../../service/usage/failed-authentications.ts'
import template from './openapi.yaml'
import { SCHEMAS } from './schema.ts'

export interface ApiSettings {
  baseUrl: string
  plans: Plans
  cacheTtlMs: number
}

const TEMPLATE_JSON = JSON.stringify(template)

/** The name of a value: alone in a text, which the value replaces, or within a text. */
const NAMES = /"\$\{(\w+)\}"|\$\{(\w+)\}/g

/** The OpenAPI 3.1 document of a service with these settings: openapi.yaml with the values in place of their names. */
export function openapiDocument(settings: ApiSettings): object {
  const values: Readonly<Record<string, unknown>> = documentValues(settings)
  const json = TEMPLATE_JSON.replace(NAMES, (_, alone?: string, within = '') => {
    return alone === undefined ? JSON.stringify(String(values[within])).slice(1, -1) : JSON.stringify(values[alone])
  })
  return JSON.parse(json)
}

/** The reset time in the examples: 2026-12-01. */
const EXAMPLE_RESET = { unixSecond: 1_796_083_200, iso: '2026-12-01T00:00:00Z' }
const EXAMPLE_RETRY_AFTER_S = 42
const EXAMPLE_VISITOR_PER_MINUTE = 30

/** The values in the document, by their names. The examples are those of a user with the plan of new users. */
export function documentValues({ baseUrl, plans, cacheTtlMs }: ApiSettings) {
  const plan = plans[PLAN_OF_NEW_USERS]
  const { perMinute, perMonth } = plan
  return {
    baseUrl,
    cacheTtl: durationText(cacheTtlMs),
    planRows: PLAN_NAMES.map((name) => planRow(plans[name])).join('\n'),
    maxBodyKB: MAX_REQUEST_BODY_BYTES / 1024,
    maxHeadKB: MAX_REQUEST_HEAD_BYTES / 1024,
    maxUrlCharacters: MAX_URL_CHARACTERS,
    maxLanguageCharacters: MAX_LANGUAGE_CHARACTERS,
    minTimeoutMs: FETCH_TIMEOUT_MS.minimum,
    maxTimeoutMs: FETCH_TIMEOUT_MS.maximum,
    timeoutMs: FETCH_TIMEOUT_MS.default,
    timeoutRule: FETCH_TIMEOUT_RULE,
    languageRule: ACCEPT_LANGUAGE_RULE,
    fieldsRule: extraRule(EXTRA_NAMES),
    perMinute,
    minuteRemaining: Math.max(0, perMinute - 1),
    perMonth,
    monthRemaining: Math.max(0, perMonth - 1),
    resetSecond: EXAMPLE_RESET.unixSecond,
    resetTime: EXAMPLE_RESET.iso,
    retryAfterS: EXAMPLE_RETRY_AFTER_S,
    browserMethod: BROWSER_KEY_REFUSALS.method,
    browserCache: BROWSER_KEY_REFUSALS.cache,
    ...mapAllowLists((list) => notAllowed(list).message),
    minuteLimit: new MinuteLimitError(plan, EXAMPLE_RESET.unixSecond, EXAMPLE_RETRY_AFTER_S).message,
    monthLimit: new MonthLimitError(perMonth, plan, EXAMPLE_RESET.iso).message,
    authenticationLimit: clientLimit('authentication_limit', FAILURES_PER_MINUTE),
    visitorLimit: clientLimit('visitor_limit', EXAMPLE_VISITOR_PER_MINUTE),
    imageVisitorLimit: clientLimit('visitor_limit', IMAGES_PER_RESPONSE * EXAMPLE_VISITOR_PER_MINUTE),
    imageKeyLimit: clientLimit('image_limit', IMAGES_PER_RESPONSE * perMinute),
    schemas: SCHEMAS,
  }
}

const planRow = ({ label, perMinute, perMonth, maxKeys }: Plan) =>
  `| ${label} | ${perMinute} | ${perMonth} | ${maxKeys} |`

const clientLimit = (kind: ClientLimit, perMinute: number) =>
  new ClientLimitError(kind, perMinute, EXAMPLE_RETRY_AFTER_S).message

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const

/** `24 hours`, `7 days`, `90 seconds`: in the largest unit that gives a whole number of at least 2, or else 1. */
function durationText(ms: number): string {
  const whole = UNITS.filter(([, unitMs]) => ms % unitMs === 0)
  const [unit, unitMs] = whole.find(([, size]) => ms >= 2 * size) ?? whole[0] ?? ['second', 1_000]
  const count = ms / unitMs
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
