// A bare Elysia route that answers everything with the JSON of the file that is named: what a cached answer is compared with.
import { Elysia } from 'elysia'

const json = await Bun.file(Bun.argv[2]!).text()
const app = new Elysia()
  .get('/v1/metadata', () => new Response(json, { headers: { 'content-type': 'application/json' } }))
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(`listens on http://127.0.0.1:${app.server!.port}`)
