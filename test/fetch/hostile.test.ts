import { describe, expect, test } from 'bun:test'

import { FetchError } from '../../src/core/errors.ts'
import { HOSTILE } from '../origin/hostile.ts'
import { openRawOrigin } from '../origin/raw-origin.ts'
import { budgetOf, GENEROUS_MS } from './budget.ts'
import { fetcherFor } from './fetcher-for.ts'

/** The deadline for servers that only a deadline can end. */
const ENDLESS_MS = 300

describe('a server that', () => {
  test.each(HOSTILE.map((one) => [one.name, one] as const))(
    '%s',
    async (_name, { respond, onConnect, expected, isEndless }) => {
      await using origin = await openRawOrigin(respond, {}, onConnect)
      await using fetcher = fetcherFor([`127.0.0.1:${origin.port}`])
      using budget = budgetOf(isEndless ? ENDLESS_MS : GENEROUS_MS)
      const fetched = fetcher.fetch(new URL(`http://127.0.0.1:${origin.port}/`), budget)

      if ('reason' in expected) {
        const error = await fetched.then(
          () => null,
          (reason: unknown) => reason,
        )
        expect(error).toBeInstanceOf(FetchError)
        expect((error as FetchError).reason).toBe(expected.reason)
      } else {
        const page = await fetched
        expect({ status: page.status, kind: page.kind }).toEqual({ status: expected.status, kind: expected.kind })
        expect(new TextDecoder().decode(page.bytes)).toContain(expected.contains ?? '')
        expect(page.bytes.length).toBeLessThanOrEqual(2 * 1024 * 1024)
      }
    },
  )
})
