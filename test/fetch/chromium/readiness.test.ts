import { expect, test } from 'bun:test'

import { readyAtMs, type LoadProgress, type DocumentState } from '../../../src/fetch/chromium/readiness.ts'

const sight: DocumentState = {
  url: 'https://site.test/',
  contentType: 'text/html',
  isParsed: true,
  hasScripts: true,
  openGraphTitle: 'Title',
  changes: 1,
}
const rich: LoadProgress = { documentState: sight, changedAtMs: 10_000, loadedAtMs: 9_000, loading: 0 }
const poor: LoadProgress = { ...rich, documentState: { ...sight, openGraphTitle: '' } }

test.each<[name: string, progress: LoadProgress, settles: number | null]>([
  ['no report yet', { ...rich, documentState: null }, null],
  ['an og:title, no pending requests', rich, 10_050],
  ['an og:title, a response after it', { ...rich, loadedAtMs: 10_030 }, 10_080],
  ['an og:title, pending requests', { ...rich, loading: 1 }, 11_000],
  ['an og:title, endless responses', { ...rich, loadedAtMs: 10_990 }, 11_000],
  ['an og:title, still being parsed', { ...rich, documentState: { ...sight, isParsed: false } }, null],
  ['no og:title, no pending requests', poor, 12_000],
  ['an og:title that is a template', { ...rich, documentState: { ...sight, openGraphTitle: '${title}' } }, 12_000],
  ['an og:title that is replaced later', { ...rich, documentState: { ...sight, openGraphTitle: 'Loading…' } }, 12_000],
  ['no og:title, a later response', { ...poor, loadedAtMs: 10_500 }, 12_500],
  ['no og:title, pending requests', { ...poor, loading: 2 }, null],
  ['no og:title, still being parsed', { ...poor, documentState: { ...poor.documentState!, isParsed: false } }, null],
  [
    'no og:title, but no scripts either',
    { ...poor, documentState: { ...poor.documentState!, hasScripts: false } },
    10_050,
  ],
])('%s', (_, progress, settles) => expect(readyAtMs(progress)).toBe(settles))
