import { describe, expect, test } from 'bun:test'

import { extractHtml, PageScan } from '../../../src/core/extract/extract.ts'
import { countedBytes } from './counted-bytes.ts'
import { HOSTILE_PAGES } from './hostile-pages.ts'

const url = new URL('https://site.test/a/page')

/** Small, because counting is slow. A reader that is not linear would still read each byte thousands of times. */
const SIZE = 10_000

/** The highest count of any page is 8.1, because up to 24 elements are read again, which is most of a small page. */
const MAX_STEPS_PER_BYTE = 10

const READERS: [name: string, read: (bytes: Uint8Array) => unknown][] = [
  ['extraction', (bytes) => extractHtml({ bytes, encoding: 'utf-8', url })],
  ['a scan of the arriving page', (bytes) => new PageScan(url).read(bytes)],
]

describe.each(READERS)('%s reads each byte a bounded number of times', (_, read) => {
  const stepsPerByte = (page: string) => {
    const { bytes, steps } = countedBytes(page)
    read(bytes)
    return steps() / bytes.length
  }

  test.each(Object.entries(HOSTILE_PAGES))('%s', (_name, page) => {
    expect(stepsPerByte(page(SIZE))).toBeWithin(0, MAX_STEPS_PER_BYTE)
    expect(stepsPerByte(page(2 * SIZE))).toBeWithin(0, MAX_STEPS_PER_BYTE)
  })
})
