import { afterAll, beforeAll, expect, test } from 'bun:test'

import { randomRuns } from '../random-runs.ts'
import { startPostgres } from '../postgres.ts'
import { startRedis } from '../redis.ts'
import { describePostgres, describeRedis } from '../requirements.ts'
import { openSite, page } from '../site.ts'
import { type Clock, startClock } from './clock.ts'
import { openSide, type Side } from './side.ts'
import { randomOf } from './random.ts'
import { STEPS } from './steps.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

const STEP_COUNT = randomRuns(500)

/** Part of the test's name. TEST_SEED repeats the steps of a run. */
const SEED = Number(process.env['TEST_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])

/** On average, the clock goes on before one of this many steps. */
const CLOCK_EVERY = 12

/** Low enough that some requests are refused. */
const PLANS = {
  URLMETA_PLAN_FREE_PER_MINUTE: '6',
  URLMETA_PLAN_FREE_PER_MONTH: '25',
  URLMETA_PLAN_FREE_KEYS: '4',
  URLMETA_PLAN_STARTER_PER_MINUTE: '12',
  URLMETA_PLAN_STARTER_PER_MONTH: '35',
  URLMETA_PLAN_GROWTH_PER_MONTH: '45',
  URLMETA_PLAN_BUSINESS_PER_MONTH: '60',
}

const site = openSite((pathname) => {
  if (pathname === '/missing') return page(404)
  if (pathname === '/broken') return page(500)
  if (pathname === '/moved') return new Response(null, { status: 302, headers: { location: '/a' } })
  if (pathname === '/file') return new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } })
  return page(200, `<!doctype html><title>Page ${pathname}</title><link rel=icon href=/icon.png>`)
})
afterAll(() => site.close())

describePostgres('an installation with SQLite and one with PostgreSQL', (binDir) => {
  describeRedis('and Redis', (redisExecutable) => {
    const stack = new AsyncDisposableStack()
    let clock: Clock
    let sides: [Side, Side]
    beforeAll(async () => {
      const postgres = stack.use(await startPostgres(binDir))
      const redis = stack.use(await startRedis(redisExecutable))
      clock = stack.use(await startClock(redis))
      const shared = { env: { ...PLANS, ...site.env }, site: site.urlOf('') }
      sides = [
        stack.use(await openSide(shared)),
        stack.use(
          await openSide({
            ...shared,
            env: {
              ...shared.env,
              URLMETA_DATABASE_URL: await postgres.createDatabase(),
              URLMETA_REDIS_URL: redis.url,
              URLMETA_SECRET: 'the-secret-of-the-differential-test',
            },
          }),
        ),
      ]
    }, PATIENT_TEST_MS)
    afterAll(() => stack.disposeAsync(), PATIENT_TEST_MS)

    test(`${STEP_COUNT} random steps look the same to clients, TEST_SEED=${SEED}`, async () => {
      const random = randomOf(SEED)
      const statuses = new Set<number>()
      const names = Object.entries(STEPS).flatMap(([name, [weight]]) => Array<string>(weight).fill(name))
      for (let n = 1; n <= STEP_COUNT; n++) {
        if (random.below(CLOCK_EVERY) === 0) await clock.goOn(random)
        const name = random.of(names)
        const [, run] = STEPS[name]!
        const seed = random.below(2 ** 31)
        const [one, other] = await Promise.all(sides.map((side) => run(side, randomOf(seed))))
        expect(other, `step ${n}: ${name}`).toEqual(one)
        if (name === 'a request') statuses.add((one as { status: number }).status)
      }
      // Two servers on which nothing works look the same, too.
      expect([statuses.has(200), sides[0].keys.size > 0]).toEqual([true, true])
    }, 300_000)
  })
})
