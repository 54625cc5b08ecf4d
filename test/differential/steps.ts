import { parseEmail } from '../../src/core/accounts/email.ts'
import { parseKeyName } from '../../src/core/accounts/key-name.ts'
import { PLAN_NAMES } from '../../src/core/plan.ts'
import {
  EVERYBODY,
  NAMES,
  PEOPLE,
  concurrentRequests,
  follow,
  keyFields,
  outcomeOf,
  redeem,
  request,
  seenWithKey,
  submitForKey,
  submitForUser,
  untilLogged,
  userPaths,
  visit,
} from './actions.ts'
import type { Random } from './random.ts'
import { OPERATOR, seenPage, type Side } from './side.ts'

const SEARCHES = ['', 'jo', 'EXAMPLE', '%', '_', '\\', 'bücher', "'", '\0', '\ufffd']

/** The column of a CSV file between the cache and the host. */
const LATENCY = /(?<=,(?:HIT|MISS|),)\d+(?=,)/g

/** The column of a CSV file after the time. `stable` would number the ids of concurrent requests in the order in which they ended. */
const REQUEST_ID = /(?<=Z,)[^,]*(?=,)/g

/** Lines of an export with the duration of a phase or the kind of cache, which differ. */
const VARYING_DETAIL = /^ *"(?:queue|dns|connect|tls|firstByte|body|cacheLayer)":/

/** Metrics that count API requests, which are complete when a step ends. */
const COUNTERS =
  /^urlmeta_(?:http_requests_total\{route="\/v1|admission_refusals|cache_misses|fetches_total|fetch_failures|request_log_dropped)/

/** One kind of step. Returns what the clients of the server saw. */
type Step = (side: Side, random: Random) => Promise<unknown>

/** All kinds of steps by name, and how often each is chosen. */
export const STEPS: Record<string, [weight: number, run: Step]> = {
  'a request': [
    30,
    async (side, random) => {
      const response = await request(side, random)
      return side.seen(response, await response.text())
    },
  ],
  'concurrent requests with one key': [
    6,
    async (side, random) => {
      const responses = await concurrentRequests(side, random, 8)
      const fields = ['x-ratelimit-remaining', 'x-monthly-used', 'retry-after', 'ratelimit']
      return responses
        .map(({ status, headers }) =>
          side.stable([status, ...fields.map((name) => `${name}: ${headers.get(name)}`)].join()),
        )
        .toSorted()
    },
  ],
  'a key is created': [
    6,
    async (side, random) => {
      const email = random.of(EVERYBODY)
      await side.browser(email).get('/keys')
      return seenWithKey(side, email, await side.browser(email).send('/keys', keyFields(random)))
    },
  ],
  'a key is changed': [4, (side, random) => submitForKey(side, random, '', keyFields(random))],
  'a key is rotated': [
    4,
    (side, random) => submitForKey(side, random, '/rotate', { overlap: random.mostly('1h', ['0', '7d', '1y']) }),
  ],
  'a key is deactivated': [2, (side, random) => submitForKey(side, random, '/deactivate', {})],
  'a key is created on the command line': [
    5,
    async (side, random) => {
      const email = random.of(PEOPLE)
      const name = random.mostly('ci', NAMES)
      // Parsed like the options of the command.
      const create = async () =>
        await side.app.accounts.createKey({ email: parseEmail(email)!, name: parseKeyName(name) })
      const created = create()
      const seen = await outcomeOf(side, created)
      if (!seen.startsWith('"')) side.keys.set((await created).key, email)
      return seen
    },
  ],
  'a plan is changed on the command line': [
    2,
    (side, random) => outcomeOf(side, side.app.accounts.setPlan(parseEmail(random.of(PEOPLE))!, random.of(PLAN_NAMES))),
  ],
  'a plan is changed by an operator': [
    3,
    (side, random) => submitForUser(side, random, 'plan', { plan: random.of([...PLAN_NAMES, 'gold']) }),
  ],
  'own limits are changed by an operator': [
    3,
    (side, random) =>
      submitForUser(side, random, 'limits', {
        limit_per_minute: random.mostly('7', ['', '0']),
        limit_per_month: random.of(['', '5', '1e3']),
        limit_keys: random.of(['', '0', '3']),
      }),
  ],
  'a user is suspended': [1, (side, random) => submitForUser(side, random, 'suspend')],
  'all users are resumed': [
    3,
    async (side) => {
      const seen: unknown[] = []
      for (const path of await userPaths(side)) {
        seen.push(seenPage(side, await side.browser(OPERATOR).send(`${path}/resume`)))
      }
      return seen
    },
  ],
  'a person signs in by a link': [
    8,
    async (side, random) => {
      const email = random.of(EVERYBODY)
      const link = await side.app.accounts.createSignInLink(parseEmail(email)!).catch((error: Error) => error.message)
      return typeof link === 'string' ? link : seenPage(side, await redeem(side.browser(email), link.token))
    },
  ],
  'a person is invited': [
    2,
    async (side, random) => {
      const email = random.of(PEOPLE)
      await side.browser(OPERATOR).get('/admin')
      const page = await side.browser(OPERATOR).send('/admin/invite', { email })
      const link = page.document.querySelector('.created code')?.text
      const seen = seenPage(side, page)
      if (link === undefined) return seen
      return [seen, seenPage(side, await redeem(side.browser(email), new URL(link).searchParams.get('token')!))]
    },
  ],
  'a person signs out': [
    1,
    async (side, random) => {
      const browser = side.browser(random.of(PEOPLE))
      await browser.get('/account')
      return seenPage(side, await browser.send(random.of(['/sign-out', '/account/sessions/revoke-others'])))
    },
  ],
  'an account is deleted': [
    1,
    async (side, random) => {
      const email = random.of(PEOPLE)
      await side.browser(email).get('/account')
      const page = await side.browser(email).send('/account/delete', { confirm: email })
      const isDeleted = page.body.includes('Account deleted.')
      if (isDeleted) side.requests = side.requests.filter((one) => one.email !== email)
      return seenPage(side, page)
    },
  ],
  'URLs are logged or not': [
    2,
    async (side, random) => {
      const email = random.of(EVERYBODY)
      await untilLogged(side, email)
      const browser = side.browser(email)
      await browser.get('/usage/requests')
      const { status, url } = await browser.send('/usage/requests/urls', { log: random.of(['true', 'false']) })
      return [status, url.pathname]
    },
  ],
  'a page of a user': [
    12,
    (side, random) =>
      visit(
        side,
        random.of(EVERYBODY),
        random.of([
          '/',
          '/keys',
          '/keys?page=2',
          '/usage',
          '/usage?days=90',
          '/usage?key=playground',
          '/account',
          '/docs',
          '/nothing',
        ]),
      ),
  ],
  'the usage of a key': [
    3,
    async (side, random) => {
      const email = random.of(EVERYBODY)
      await untilLogged(side, email)
      const browser = side.browser(email)
      const path = await follow(browser, random, '/keys', '/keys/')
      return (
        path && [
          seenPage(side, browser.page),
          seenPage(side, await browser.get(`/usage?key=${path.split('/').at(-1)}`)),
        ]
      )
    },
  ],
  'a page of the operators': [
    8,
    (side, random) =>
      visit(
        side,
        random.of([OPERATOR, OPERATOR, OPERATOR, PEOPLE[0]!]),
        random.of([
          '/admin',
          '/admin/audit',
          '/admin?sort=usage',
          `/admin?q=${encodeURIComponent(random.of(SEARCHES))}`,
        ]),
      ),
  ],
  'the page of a user for operators': [
    3,
    async (side, random) => {
      const browser = side.browser(OPERATOR)
      return (await follow(browser, random, '/admin', '/admin/users/')) && seenPage(side, browser.page)
    },
  ],
  'the requests of a user': [
    1,
    async (side, random) => {
      const email = random.of(EVERYBODY)
      await untilLogged(side, email)
      const host = encodeURIComponent(new URL(side.site).host)
      const filter = random.of(['', '?result=failed', '?result=ok', '?cache=HIT', `?host=${host}`])
      const browser = side.browser(email)
      const { document } = await browser.get(`/usage/requests${filter}`)
      const { body } = await browser.get(`/usage/requests.csv${filter}`)
      // Concurrent requests end in any order.
      const rows = side.stable(body.replace(REQUEST_ID, '')).replace(LATENCY, '').split('\n').toSorted()
      const exported = side
        .stable((await browser.get('/account/export')).body)
        .split('\n')
        .filter((line) => !VARYING_DETAIL.test(line))
        .toSorted()
      return [side.stable(document.querySelector('.stats')?.text ?? ''), rows, exported]
    },
  ],
  'the counters of requests': [
    2,
    async (side) => {
      const text = await (await fetch(`${side.app.url}/metrics`)).text()
      return text.split('\n').filter((line) => COUNTERS.test(line))
    },
  ],
  'all accounts on the command line': [
    2,
    async (side) => [
      await outcomeOf(side, side.app.accounts.listUsers()),
      await outcomeOf(side, side.app.accounts.listKeys()),
    ],
  ],
}
