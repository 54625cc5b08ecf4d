import { describe, expect, test } from 'bun:test'

import { memoryRenderHistory } from '../../src/store/memory/render-history.ts'

const HOUR_MS = 60 * 60 * 1_000

/** Records pages of a host: `+` needed the browser, `-` did not. */
function historyOf(pages: string, atMs = () => 0) {
  const history = memoryRenderHistory(atMs)
  for (const page of pages) history.note('a.test', page === '+')
  return history
}

describe('a host needs the browser', () => {
  test.each<[pages: string, expected: boolean]>([
    ['', false],
    ['+', false],
    ['++', false],
    ['+++', true],
    ['++++++', true],
    ['++-+', false],
    ['+++-', false],
    ['+++-++', false],
    ['+++-+++', true],
    ['---', false],
  ])('after %p', (pages, expected) => expect(historyOf(pages).needsBrowser('a.test')).toBe(expected))

  test('but not other hosts', () => expect(historyOf('+++').needsBrowser('b.test')).toBe(false))

  test.each<[elapsedMs: number, expected: boolean]>([
    [HOUR_MS - 1, true],
    [HOUR_MS + 1, false],
  ])('%d ms after its last page', (elapsedMs, expected) => {
    let nowMs = 1
    const history = historyOf('+++', () => nowMs)
    nowMs += elapsedMs
    expect(history.needsBrowser('a.test')).toBe(expected)
  })

  test('as long as its pages need it', () => {
    let nowMs = 1
    const history = historyOf('+++', () => nowMs)
    nowMs += HOUR_MS - 1
    history.note('a.test', true)
    nowMs += HOUR_MS - 1
    expect(history.needsBrowser('a.test')).toBe(true)
  })
})

test('the number of hosts is limited', () => {
  const history = historyOf('+++')
  for (let i = 0; i < 10_000; i++) history.note(`${i}.test`, true)
  expect(history.needsBrowser('a.test')).toBe(false)
})
