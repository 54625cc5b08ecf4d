import { Elysia } from 'elysia'

import { json } from '../json.ts'

export interface HealthRouteDeps {
  /** Resolves when the database works. */
  ping: () => Promise<void>
  onNotReady: (error: unknown) => void
}

/** `/healthz`: the process is alive. `/readyz`: the database works too. */
export const healthRoutes = ({ ping, onNotReady }: HealthRouteDeps) =>
  new Elysia()
    .get('/healthz', () => json({ status: 'ok' }))
    .get('/readyz', async () => {
      try {
        await ping()
        return json({ status: 'ok' })
      } catch (error) {
        onNotReady(error)
        return json({ status: 'unavailable', database: 'unreachable' }, { status: 503 })
      }
    })
