import { describe } from 'bun:test'

import { findChromium } from '../src/fetch/chromium/executable.ts'

/** Comma list of what must be there for the tests: without it, a test that needs it is skipped. */
const required = (process.env['TEST_REQUIRE'] ?? '').split(',')

/** The Chromium that tests use, or null. */
export const chromium = findChromium()

if (chromium === null && required.includes('chromium')) {
  throw new Error('TEST_REQUIRE=chromium, and no Chromium was found')
}

/** Tests that need a real Chromium: skipped, each by its name, where there is none. */
export const describeChromium = chromium === null ? describe.skip : describe
