import { openPostgres } from '../../src/store/postgres/open.ts'
import { PATIENT_POSTGRES } from '../patience.ts'

/** Opens the stores in a PostgreSQL database as the service does, but with long deadlines. */
export function openPatiently(url: string, maxResults = 1) {
  return openPostgres({ url, maxResults, deadlines: PATIENT_POSTGRES })
}
