import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { dayOf } from '../../src/core/period.ts'
import { LOGGED_PER_HOUR } from '../../src/service/usage/rejected-requests.ts'
import type { Browser, Visited } from '../http/browser.ts'
import { newKeyIn } from '../http/page-parts.ts'
import { attributeIn } from '../page-tree.ts'
import { until } from '../site.ts'
import { type Random, randomOf } from './random.ts'
import { OPERATOR, seenPage, type Side } from './side.ts'

export const PEOPLE = ['jo@example.com', 'ann_b%c@example.com', 'Eve+d@example.com']
export const EVERYBODY = [...PEOPLE, OPERATOR]
export const NAMES = ['Jo’s 😀', ' padded ', '', '%_\\', `a'b"c<d>`, 'nul\0', '\ud800', 'n'.repeat(101)]
const HOSTS = ['127.0.0.1', 'example.com\n*.Example.org', 'https://example.com', 'bücher.example']
const ADDRESSES = ['127.0.0.0/8\n::1', '192.0.2.7', '10.0.0.0/99']
const PAGES = ['/a', '/b', '/c?x=1', '/%20d', '/moved']
const PATHS = [...PAGES, '/missing', '/broken', '/file']
const OTHER_URLS = ['http://10.0.0.1/', 'ftp://example.com', '']
const PARAMETERS: Record<string, string>[] = [
  { cache: 'false' },
  { cache: 'maybe' },
  { timeout: '0' },
  { headless: 'true' },
]
/** The number of keys that are used: the latest ones, because most others are deactivated. */
const USED_KEYS = 3

export const keyFields = (random: Random) => ({
  name: random.mostly('ci', NAMES),
  hosts: random.mostly('', HOSTS),
  addresses: random.mostly('', ADDRESSES),
  expires: random.mostly(random.of(['', dayOf(Date.now() + random.below(3) * DAY_MS)]), ['soon', '2020-01-01']),
})

/** A request for any URL. */
export const request = (side: Side, random: Random) =>
  requestFor(side, random, random.mostly({}, PARAMETERS), random.mostly(side.site + random.of(PATHS), OTHER_URLS))

/**
 * Concurrent equal requests for a page, without the cache: otherwise those that arrive first decide how many of the
 * others find a result. Nor may they fail: one that ends early leaves its unit of the monthly limit to one that arrives late.
 */
export function concurrentRequests(side: Side, random: Random, count: number) {
  const url = side.site + random.of(PAGES)
  const seed = random.below(2 ** 31)
  return Promise.all(Array.from({ length: count }, () => requestFor(side, randomOf(seed), { cache: 'false' }, url)))
}

async function requestFor(side: Side, random: Random, parameters: Record<string, string>, url: string) {
  const key = random.of(['urlmeta_live_unknown', ...side.keys.keys()].slice(-USED_KEYS))
  const response = await fetch(`${side.app.url}/v1/metadata?${new URLSearchParams({ url, ...parameters })}`, {
    headers: { 'x-api-key': key },
  })
  const id = response.headers.get('x-request-id')!
  // The request is counted and logged by the clock of this step.
  const { key: keyId } = await side.app.logged({ msg: 'request', id })
  const email = side.keys.get(key)
  if (keyId === undefined || email === undefined) return response
  const ofDay = `${keyId as string} ${dayOf(Date.now())}`
  if (response.status !== 401) side.failed.set(ofDay, await side.failures(keyId as string))
  if (response.status !== 401 || (await isRejectionLogged(side, keyId as string))) side.requests.push({ email, id })
  return response
}

/** Waits until a rejected request with a key that has ended is counted. Returns whether it is also in the log. */
async function isRejectionLogged({ app, rejected, failed, failures }: Side, keyId: string): Promise<boolean> {
  const hour = `${keyId} ${Math.floor(Date.now() / HOUR_MS)}`
  const day = `${keyId} ${dayOf(Date.now())}`
  for (const name of [keyId, hour, day]) rejected.set(name, (rejected.get(name) ?? 0) + 1)
  const [count, ofHour, ofDay] = [keyId, hour, day].map((name) => rejected.get(name)!) as [number, number, number]
  await until(async () => {
    const key = (await app.accounts.listKeys()).find(({ id }) => id === keyId)
    if (key === undefined) return true
    // Failures of days are written after the key.
    return key.rejectedRequests >= count && (await failures(keyId)) >= (failed.get(day) ?? 0) + ofDay
  })
  return ofHour <= LOGGED_PER_HOUR
}

/** The log is written once per second, and a user's pages are limited per minute of the clock, which stands still. */
const EXPORT_INTERVAL_MS = 200

/** Opens a page of a user, which may show what is in the log. */
export async function visit(side: Side, email: string, path: string) {
  await untilLogged(side, email)
  return seenPage(side, await side.browser(email).get(path))
}

/** Opens a page and one of its links with this prefix; null if it has none. */
export async function follow(browser: Browser, random: Random, path: string, prefix: string): Promise<string | null> {
  const { document } = await browser.get(path)
  const links = document.querySelectorAll(`main a[href^="${prefix}"]`).map((link) => attributeIn(link, 'href'))
  const target = links.length === 0 ? null : random.of(links)
  if (target !== null) await browser.get(target)
  return target
}

/** Submits a form on the page of one of the user's keys. */
export async function submitForKey(side: Side, random: Random, action: string, fields: Record<string, string>) {
  const email = random.of(EVERYBODY)
  const browser = side.browser(email)
  await untilLogged(side, email)
  const path = await follow(browser, random, '/keys', '/keys/')
  if (path === null) return 'no keys'
  return seenWithKey(side, email, await browser.send(path + action, fields))
}

/** The paths of the operators' pages of the users. */
export async function userPaths(side: Side): Promise<string[]> {
  const { document } = await side.browser(OPERATOR).get('/admin')
  return document.querySelectorAll('main a[href^="/admin/users/"]').map((link) => attributeIn(link, 'href'))
}

/** Submits a form on the operators' page of a user. */
export async function submitForUser(side: Side, random: Random, action: string, fields: Record<string, string> = {}) {
  const paths = await userPaths(side)
  return paths.length === 0
    ? 'no users'
    : seenPage(side, await side.browser(OPERATOR).send(`${random.of(paths)}/${action}`, fields))
}

/** The content of a page; a new key on it is used from now on. */
export function seenWithKey(side: Side, email: string, page: Visited) {
  const key = newKeyIn(page)
  if (key !== null) side.keys.set(key, email)
  return seenPage(side, page)
}

/** The result of a command, or its error message. */
export const outcomeOf = async (side: Side, command: Promise<unknown>) =>
  side.stable(JSON.stringify(await command.catch((error: Error) => error.message)))

export async function redeem(browser: Browser, token: string) {
  const { document } = await browser.get(`/sign-in/link?token=${token}`)
  // Not the form in the header, which signs out.
  const csrf = document.querySelector('main input[name="csrf"]')?.getAttribute('value') ?? ''
  return browser.send('/sign-in/link', { csrf, token })
}

/** Waits until the requests of a user who is signed in are in their log, which is written once per second. */
export async function untilLogged(side: Side, email: string) {
  const ids = side.requests.filter((one) => one.email === email).map(({ id }) => id)
  await until(async () => {
    // Unlike the pages, it has the requests that are older than the retention and not deleted yet.
    const { url, body } = await side.browser(email).get('/account/export')
    return url.pathname !== '/account/export' || ids.every((id) => body.includes(id))
  }, EXPORT_INTERVAL_MS)
}
