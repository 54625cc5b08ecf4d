import { MAX_NETWORK_EVENTS } from '../limits.ts'

/** Decides by its first and last bytes, unread, whether a message of DevTools is heard. */
export interface MessageFilter {
  hears(message: Buffer): boolean
}

/**
 * What a page can make Chromium send without end: console output and uncaught errors. Nobody here wants to know, and
 * parsing it would keep the service from its other work.
 */
const CHATTER: ReadonlySet<string> = new Set([
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
  'Log.entryAdded',
  'Audits.issueAdded',
])

/** How Chromium writes an event: the method first, the session last. */
const METHOD = /^\{"method":"([\w.]+)"/
const SESSION = /"sessionId":"(\w+)"\}$/

/** Playwright counts its commands from one; it knows nothing of this one, nor must it hear the answer. */
const INTERRUPTION_ID = 2_147_483_647
const INTERRUPTION_ANSWER = Buffer.from(`{"id":${INTERRUPTION_ID},`)

/** Ends the script that runs in a session, which may be too busy to be heard of otherwise. */
export function interruptionOf(sessionId: string): object {
  return { id: INTERRUPTION_ID, method: 'Runtime.terminateExecution', sessionId }
}

/** Longer than any method's name with what stands before it, or a session's. */
const EDGE_BYTES = 100

/** @param onFlood is told each time that a session has gone so far again; a script in a loop may be behind it */
export function createMessageFilter(onFlood: (session: string) => void): MessageFilter {
  // An entry is small beside the process that Chromium has for it, and all go with the browser, after some pages.
  const counts = new Map<string, number>()

  return {
    hears(message) {
      const method = METHOD.exec(message.toString('latin1', 0, EDGE_BYTES))?.[1]
      if (method === undefined) return !message.subarray(0, INTERRUPTION_ANSWER.length).equals(INTERRUPTION_ANSWER)
      if (CHATTER.has(method)) return false
      if (!method.startsWith('Network.') && !method.startsWith('Fetch.')) return true
      const session = SESSION.exec(message.toString('latin1', Math.max(0, message.length - EDGE_BYTES)))?.[1]
      const key = `${session} ${method}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (session !== undefined && count % MAX_NETWORK_EVENTS === 0) onFlood(session)
      return count <= MAX_NETWORK_EVENTS
    },
  }
}
