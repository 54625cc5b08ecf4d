import { describe, expect, test } from 'bun:test'

import { PAGE_FIXTURES, readPageFixture } from './page-fixture.ts'

describe('pages', () => {
  test('are more than 200', () => expect(PAGE_FIXTURES.length).toBeGreaterThan(200))

  test.each(PAGE_FIXTURES)('%s', async (name) => {
    const { expected, metadata, sources, evidence, refresh } = await readPageFixture(name)
    expect(metadata).toEqual(expected.metadata)
    expect(Object.keys(sources).length).toBe(leafCount(metadata))
    if (expected.sources) expect(sources).toEqual(expected.sources)
    if (expected.evidence) expect(evidence).toMatchObject(expected.evidence)
    if (expected.refresh !== undefined) expect(refresh?.href ?? null).toEqual(expected.refresh)
  })
})

/** The number of values in an object of strings and objects. Each must have a source. */
function leafCount(value: object): number {
  return Object.values(value).reduce((count, part) => count + (typeof part === 'string' ? 1 : leafCount(part)), 0)
}
