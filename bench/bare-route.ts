// Bare Elysia routes that respond with the JSON of a file, as a baseline for cached responses. usage: bun
// bench/bare-route.ts FILE HEADERS; prints its port. HEADERS is a JSON file with response headers: the path
// `/with-headers` sends them too, from an asynchronous handler that waits for the end of the turn of the event loop.
import { Elysia } from 'elysia'

const json = await Bun.file(Bun.argv[2]!).text()
const headers = (await Bun.file(Bun.argv[3]!).json()) as Record<string, string>
const app = new Elysia()
  .get('/v1/metadata', () => new Response(json, { headers: { 'content-type': 'application/json' } }))
  .get('/with-headers', async ({ set }) => {
    await new Promise((resolve) => setImmediate(resolve))
    Object.assign(set.headers, headers)
    return json
  })
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(app.server!.port)
