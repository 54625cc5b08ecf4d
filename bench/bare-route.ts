// A bare Elysia route that responds with the JSON of a file, as a baseline for cached responses. usage: bun
// bench/bare-route.ts FILE HEADERS; prints its port. HEADERS is a JSON file with response headers. The handler is
// asynchronous and waits for the end of the turn of the event loop.
import { Elysia } from 'elysia'

const json = await Bun.file(Bun.argv[2]!).text()
const headers = (await Bun.file(Bun.argv[3]!).json()) as Record<string, string>
const app = new Elysia()
  .get('/', async ({ set }) => {
    await new Promise((resolve) => setImmediate(resolve))
    Object.assign(set.headers, headers)
    return json
  })
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(app.server!.port)
