import { Elysia } from 'elysia'

import { StoreError } from '../../core/store-fault.ts'
import { json } from '../server/json.ts'

export interface HealthRouteDeps {
  /** Resolves when the database can be read and written. */
  ping: () => Promise<void>
  onNotReady: (error: unknown) => void
  /** Whether the server will stop soon: it still serves, but load balancers should use another one. */
  isStopping: () => boolean
}

/** `/healthz`: the process runs. `/readyz`: whether it takes requests and the database works, and why not. */
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
