import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { freePort } from '../free-port.ts'
import { openWorkspace, type Workspace } from '../executable.ts'
import { startPostgres } from '../postgres.ts'
import { startRedis } from '../redis.ts'
import { describePostgres, describeRedis } from '../requirements.ts'
import { createKey } from '../new-key.ts'
import { openSite, page, until } from '../site.ts'
import { PATIENT_TEST_MS } from '../patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const site = openSite((path) =>
  path === '/moved'
    ? Response.redirect(site.urlOf('/target'))
    : page(200, `<!doctype html><title>${site.requested.get(path)}</title><link rel="icon" href="/icon.png">`),
)
afterAll(() => site.close())

const settings = { ...site.env, URLMETA_PLAN_FREE_PER_MINUTE: '100000', URLMETA_PLAN_FREE_PER_MONTH: '100000' }

/** A running server, and requests to it. */
async function serveIn(place: Workspace, env: Record<string, string> = {}) {
  const key = await createKey(place, env)
  const service = await place.serve({ ...settings, ...env })
  return {
    service,
    key,
    /** The cache status and the title of a page of the site, which counts its requests. */
    async get(path: string, parameters: Record<string, string> = {}) {
      const query = new URLSearchParams({ url: site.urlOf(path), ...parameters })
      const response = await fetch(`${service.url}/v1/metadata?${query}`, { headers: { 'x-api-key': key } })
      return [response.headers.get('x-cache'), ((await response.json()) as { title?: string }).title]
    },
    cache: (...args: string[]) => place.run(['cache', ...args], { ...settings, ...env }),
  }
}

/** Deletes the results of a page while it is fetched, and waits until the server has applied the deletion. */
async function deleteDuringFetch(place: Workspace) {
  const { service, key, get, cache } = await serveIn(place)
  const held = await site.requestHeld(service, key)
  await get('/marker')
  await until(async () => (await cache('delete', site.urlOf('/held'))).code === 1)
  await until(async () => (await cache('delete', site.urlOf('/marker'))).code === 0)
  // Deletions are applied in order.
  await until(async () => (await get('/marker'))[0] === 'MISS')
  return { service, key, ...held }
}

describe('while the server runs', () => {
  test('show prints every result of a page, delete deletes them, and the next request fetches the page', async () => {
    await using place = openWorkspace()
    const { get, cache } = await serveIn(place)
    const url = site.urlOf('/page?x=1')
    expect(await get('/page?x=1')).toEqual(['MISS', '1'])
    expect(await get('/page?x=1', { language: 'de-CH, de' })).toEqual(['MISS', '2'])
    expect(await get('/page?x=1')).toEqual(['HIT', '1'])
    // Results are stored after the response.
    await until(async () => (await cache('show', url)).stdout.split('fetched    ').length === 3)

    const { code, stdout } = await cache('show', `${url.toUpperCase().replace('/PAGE?X', '/page?x')}#fragment`)
    expect([code, stdout.split('\n')[0]]).toEqual([0, url])
    const lines = ["language   the server's", 'language   de-ch,de', `final URL  ${url}`, ' UTC, http', '"title": "2"']
    for (const line of lines) expect(stdout).toContain(line)

    const shown = JSON.parse((await cache('show', url, '--json')).stdout)
    const result = {
      private_hosts: 'current',
      final_url: url,
      bytes: expect.any(Number),
      stored_at: expect.any(String),
      expires_at: expect.any(String),
    }
    expect(shown).toEqual({
      url,
      results: [
        { ...result, language: null, metadata: expect.objectContaining({ title: '1', fetch_method: 'http' }) },
        { ...result, language: 'de-ch,de', metadata: expect.objectContaining({ title: '2' }) },
      ],
    })
    expect(Date.parse(shown.results[0].expires_at) - Date.parse(shown.results[0].stored_at)).toBe(86_400_000)

    expect(await cache('delete', url)).toEqual({
      code: 0,
      stdout: `Deleted 2 results of ${url}. Running servers delete their copies within a second.\n`,
      stderr: '',
    })
    const missing = { code: 1, stdout: '', stderr: `urlmeta: No cached result of ${url}\n` }
    await until(async () => (await get('/page?x=1'))[0] === 'MISS')
    expect(await get('/page?x=1')).toEqual(['HIT', '3'])
    expect(await get('/page?x=1', { language: 'de-CH, de' })).toEqual(['MISS', '4'])
    await until(async () => (await cache('delete', url, '--json')).stdout === `{"url":"${url}","deleted":2}\n`)
    expect(await cache('show', url, '--json')).toEqual(missing)
    expect(await cache('delete', url)).toEqual(missing)
  })

  test('a deletion that a server could not apply is applied later', async () => {
    await using place = openWorkspace()
    const { get } = await serveIn(place)
    expect(await get('/kept')).toEqual(['MISS', '1'])
    using database = new Database(join(place.dir, 'data/urlmeta-cache.db'))
    database.run('PRAGMA busy_timeout = 5000')
    const stored = () => database.query('SELECT cache_key FROM results').values()
    await until(async () => stored().length === 1)
    database.run(`CREATE TRIGGER broken BEFORE DELETE ON results BEGIN SELECT RAISE(ABORT, 'broken'); END`)
    database.run('INSERT INTO deleted_pages (page, results) VALUES (?, 1)', [site.urlOf('/kept')])
    await until(async () => database.query('SELECT page FROM deleted_pages').values().length === 0)
    expect(await get('/kept')).toEqual(['HIT', '1'])
    database.run('DROP TRIGGER broken')
    await until(async () => stored().length === 0)
    expect(await get('/kept')).toEqual(['MISS', '2'])
  })

  test('a fetch in progress is not shared with later requests', async () => {
    await using place = openWorkspace()
    const { service, key, response, release } = await deleteDuringFetch(place)
    // Only a request of its own reaches the site.
    const next = await site.requestHeld(service, key)
    release()
    expect((await response).status).toBe(200)
    next.release()
    expect((await next.response).headers.get('x-cache')).toBe('MISS')
  })

  test('a fetch in progress is not stored', async () => {
    await using place = openWorkspace()
    const { service, key, response, release } = await deleteDuringFetch(place)
    release()
    const before = site.requested.get('/held')
    expect((await response).status).toBe(200)
    const next = await site.requestHeld(service, key)
    next.release()
    expect((await next.response).headers.get('x-cache')).toBe('MISS')
    expect(site.requested.get('/held')).toBe(before! + 1)
  })

  test('the final URL is that of the last redirect, and other settings say which results they use', async () => {
    await using place = openWorkspace()
    const { get, cache } = await serveIn(place)
    await get('/moved')
    await until(async () => (await cache('show', site.urlOf('/moved'))).code === 0)
    const args = ['cache', 'show', site.urlOf('/moved'), '--json']
    const other = { URLMETA_ALLOW_PRIVATE_HOSTS: '', URLMETA_CACHE_TTL: '1s' }
    const { stdout } = await place.run(args, other)
    expect(JSON.parse(stdout).results).toMatchObject([{ final_url: site.urlOf('/target'), private_hosts: 'other' }])
    const text = await place.run(args.slice(0, 3), other)
    expect(text.stdout).toContain('not used   fetched under another URLMETA_ALLOW_PRIVATE_HOSTS')
    const storedAt = Date.parse(JSON.parse(stdout).results[0].stored_at)
    await until(() => Date.now() > storedAt + 1_000)
    expect((await place.run(args.slice(0, 3), other)).stdout).toContain('UTC, not used any more')
  })
})

describe('without a server', () => {
  test.each([
    ['no database', ['show', 'https://a.test/'], 1, 'No database at '],
    ['another scheme', ['show', 'ftp://a.test/'], 2, 'Must start with http:// or https://.'],
    ['no scheme', ['delete', 'a.test'], 2, 'Must start with http:// or https://.'],
    ['an empty URL', ['delete', ''], 2, 'The URL is missing.'],
    ['no URL', ['delete'], 2, "missing required argument 'url'"],
    ['two URLs', ['show', 'https://a.test/', 'https://b.test/'], 2, 'too many arguments'],
    ['an unknown command', ['clear'], 2, "unknown command 'clear'"],
    ['a host that does not parse', ['show', 'https://a b/'], 2, 'Not a valid URL.'],
  ])('%s', async (_, args, code, message) => {
    await using place = openWorkspace()
    expect(await place.run(['cache', ...args])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
    expect(readdirSync(place.dir)).toEqual([])
  })

  test('results of an earlier server are shown and deleted', async () => {
    await using place = openWorkspace()
    const { service, get, cache } = await serveIn(place)
    await get('/earlier')
    service.kill('SIGTERM')
    await service.exited
    expect((await cache('show', site.urlOf('/earlier'))).code).toBe(0)
    expect((await cache('delete', site.urlOf('/earlier'))).code).toBe(0)
    expect((await cache('show', site.urlOf('/earlier'))).code).toBe(1)
  })
})

describeRedis('with redis', (executable) => {
  test('a result is deleted for all servers, also from the memory that is used without Redis', async () => {
    await using redis = await startRedis(executable)
    await using place = openWorkspace()
    await using elsewhere = openWorkspace()
    const env = { URLMETA_REDIS_URL: redis.url }
    const { get } = await serveIn(place, env)
    const url = site.urlOf('/shared')
    expect(await get('/shared')).toEqual(['MISS', '1'])
    expect(await get('/shared', { language: 'fr' })).toEqual(['MISS', '2'])
    await until(async () => (await get('/shared'))[0] === 'HIT')
    // Neither a database nor a data directory is needed.
    const cache = (...args: string[]) => elsewhere.run(['cache', ...args], env)
    await until(async () => (await cache('show', url)).stdout.includes('language   fr'))
    expect(await cache('delete', url, '--json')).toMatchObject({ code: 0, stdout: `{"url":"${url}","deleted":2}\n` })
    expect(await cache('show', url)).toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(elsewhere.dir)).toEqual([])

    const checks = async () =>
      Number(/cmdstat_xrange:calls=(\d+)/.exec(String(await redis.command('INFO', 'commandstats')))?.[1] ?? 0)
    const before = await checks()
    // The second check begins when the first has been applied.
    await until(async () => (await checks()) >= before + 2)
    await redis.kill()
    expect(await get('/shared')).toEqual(['MISS', '3'])
    expect(await get('/shared')).toEqual(['HIT', '3'])
  })

  test('Redis that is not reachable is reported', async () => {
    await using place = openWorkspace()
    const env = { URLMETA_REDIS_URL: `redis://127.0.0.1:${freePort()}` }
    for (const command of ['show', 'delete']) {
      const { code, stdout, stderr } = await place.run(['cache', command, 'https://a.test/'], env)
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^urlmeta: Cannot use Redis \(URLMETA_REDIS_URL\): .+\n$/),
      ])
    }
  })
})

describePostgres('with PostgreSQL', (binDir) => {
  test('a result is deleted for all servers immediately, without Redis', async () => {
    await using database = await startPostgres(binDir)
    await using place = openWorkspace()
    await using elsewhere = openWorkspace()
    const env = {
      URLMETA_DATABASE_URL: await database.createDatabase(),
      URLMETA_SECRET: 'the-same-on-both-servers-of-this-test',
    }
    const [{ get }, other] = [await serveIn(place, env), await serveIn(place, env)]
    const url = site.urlOf('/postgres')
    expect(await get('/postgres')).toEqual(['MISS', '1'])
    expect(await get('/postgres', { language: 'fr' })).toEqual(['MISS', '2'])
    const cache = (...args: string[]) => elsewhere.run(['cache', ...args], { ...settings, ...env })
    // Results are stored after the response.
    await until(async () => (await cache('show', url)).stdout.includes('language   fr'))
    expect(await other.get('/postgres')).toEqual(['HIT', '1'])
    expect(await cache('delete', url, '--json')).toMatchObject({ code: 0, stdout: `{"url":"${url}","deleted":2}\n` })
    expect(await cache('show', url)).toEqual({ code: 1, stdout: '', stderr: `urlmeta: No cached result of ${url}\n` })
    expect(readdirSync(elsewhere.dir)).toEqual([])
    expect(await other.get('/postgres')).toEqual(['MISS', '3'])
    await until(async () => (await cache('show', url)).code === 0)
    expect(await get('/postgres')).toEqual(['HIT', '3'])

    await database.stop()
    const { code, stdout, stderr } = await cache('show', url)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('URLMETA_DATABASE_URL')])
  })
})
