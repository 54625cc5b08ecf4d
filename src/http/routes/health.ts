import { Elysia } from 'elysia'

import { StoreError } from '../../core/store-fault.ts'
import { json } from '../server/json.ts'

export interface HealthRouteDeps {
  /** Resolves when the database can be read and written. */
  ping: () => Promise<void>
  onNotReady: (error: unknown) => void
  /** Whether the server will stop soon: it still serves requests, but load balancers should use another server. */
  isStopping: () => boolean
}

/**
 * `/healthz` responds while the process runs. `/readyz` responds with 503 and the reason when the server is stopping or
 * the database does not work.
 */
export const healthRoutes = ({ ping, onNotReady, isStopping }: HealthRouteDeps) =>
  new Elysia()
    .get('/healthz', () => json({ status: 'ok' }))
    .get('/readyz', async () => {
      if (isStopping()) return json({ status: 'unavailable', reason: 'the server is stopping' }, { status: 503 })
      try {
        await ping()
        return json({ status: 'ok' })
      } catch (error) {
        onNotReady(error)
        const reason = error instanceof StoreError ? error.message : 'the database does not respond'
        return json({ status: 'unavailable', reason }, { status: 503 })
      }
    })
