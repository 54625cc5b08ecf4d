import { addTo } from '../../core/tally.ts'
import { wordSet } from '../../core/word-set.ts'
import { MAX_EVENTS } from './limits.ts'

/** Unused events that a page can trigger without limit. Parsing them would block the event loop. */
const IGNORED_EVENTS = wordSet('Runtime.consoleAPICalled Runtime.exceptionThrown Log.entryAdded Audits.issueAdded')

/**
 * The events whose number is limited. Playwright builds its list of frames from other events, so those are passed on.
 */
const LIMITED_EVENTS = /^(?:Network\.|Fetch\.|Page\.(?:lifecycleEvent|documentOpened|\w+Fired)$)/

/** Chromium writes the method of an event first and its session last. */
const METHOD = /^\{"method":"([\w.]+)"/
const SESSION = /"sessionId":"(\w+)"\}$/

/** Playwright numbers its commands from one, so this id is unused. Its response is not passed on to Playwright. */
const INTERRUPTION_ID = 2_147_483_647
const INTERRUPTION_RESPONSE = Buffer.from(`{"id":${INTERRUPTION_ID},`)

/** The command that terminates the running script of a session, such as an endless loop. */
export function interruptionOf(sessionId: string): object {
  return { id: INTERRUPTION_ID, method: 'Runtime.terminateExecution', sessionId }
}

/** Enough bytes for the method at the start, and for the session at the end. */
const EDGE_BYTES = 100

/**
 * Returns a function that decides whether a DevTools message is passed on, without parsing it.
 * @param onFlood called each time a session has sent another `MAX_EVENTS` events of one kind, such as from a script in
 * a loop
 */
export function createMessageFilter(onFlood: (session: string) => void) {
  // The number of entries is bounded, because the browser is replaced after a number of pages.
  const counts = new Map<string, number>()

  return (message: Buffer): boolean => {
    const method = METHOD.exec(message.toString('latin1', 0, EDGE_BYTES))?.[1]
    if (method === undefined) return !message.subarray(0, INTERRUPTION_RESPONSE.length).equals(INTERRUPTION_RESPONSE)
    if (IGNORED_EVENTS.has(method)) return false
    if (!LIMITED_EVENTS.test(method)) return true
    const session = SESSION.exec(message.toString('latin1', Math.max(0, message.length - EDGE_BYTES)))?.[1]
    const count = addTo(counts, `${session} ${method}`, 1)
    if (session !== undefined && count % MAX_EVENTS === 0) onFlood(session)
    return count <= MAX_EVENTS
  }
}
