/*
 * Deadlines of the parts that tests start: a busy machine must not look like a part that does not respond.
 */

import type { Deadlines } from '../src/store/deadline.ts'

/** How long a browser may take to respond, in milliseconds. */
export const PATIENT_BROWSER_MS = 120_000

/**
 * The renderer's own deadline for a browser, which lasts four times as long if the browser gets no CPU: still less than
 * the timeout of a test.
 */
export const PATIENT_RESPONSE_MS = PATIENT_BROWSER_MS / 3

/** The timeout of a test that starts processes, in milliseconds: longer than a browser may take to respond. */
export const PATIENT_TEST_MS = 180_000

/** The timeout of a Redis command, in milliseconds. */
export const PATIENT_REDIS_MS = 20_000

/** The deadlines of PostgreSQL. */
export const PATIENT_POSTGRES: Deadlines = { callMs: 20_000, statementMs: 15_000 }
