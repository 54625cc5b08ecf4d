// A bare Elysia route that responds with the JSON of a file, to compare cached responses with.
// usage: bun bench/bare-route.ts FILE; prints its port.
import { Elysia } from 'elysia'

const json = await Bun.file(Bun.argv[2]!).text()
const app = new Elysia()
  .get('/v1/metadata', () => new Response(json, { headers: { 'content-type': 'application/json' } }))
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(app.server!.port)
