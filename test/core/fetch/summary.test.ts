import { describe, expect, test } from 'bun:test'

import { fetchSummary } from '../../../src/core/fetch/summary.ts'
import { type FetchTrace, type Hop, startHop } from '../../../src/core/fetch/trace.ts'

const hop = (by: Hop['by'], timing: Hop['timing'] = {}): Hop => ({
  ...startHop(new URL('https://a.example/'), by),
  timing,
})
const report = { durationMs: 812.4, requests: 9, bytes: 1, hosts: 1, refused: [] }

describe('the log fields of a fetch', () => {
  test.each<[string, FetchTrace, ReturnType<typeof fetchSummary>]>([
    ['null, without a fetch', { hops: [] }, null],
    ['of a fetch that failed before its first response', { hops: [hop('caller')] }, { redirects: 0, phases: {} }],
    [
      'phases of all requests together, in whole milliseconds, and those that were not reached are absent',
      {
        hops: [
          hop('caller', { dnsMs: 1.4, queueMs: 0.2, connectMs: 2, tlsMs: 3, firstByteMs: 4 }),
          hop('redirect', { dnsMs: 1.4, connectMs: 5 }),
        ],
      },
      { redirects: 1, phases: { dns: 3, queue: 0, connect: 7, tls: 3, firstByte: 4 } },
    ],
    [
      'the phase of the last request that did not finish',
      {
        hops: [
          { ...hop('caller', { connectMs: 1 }), phase: { name: 'connectMs' } },
          { ...hop('retry as browser', { connectMs: 1, firstByteMs: 90 }), phase: { name: 'firstByteMs' } },
        ],
      },
      { redirects: 0, phases: { connect: 2, firstByte: 90 }, unfinished: 'firstByte' },
    ],
    [
      'a step that did not finish',
      { hops: [hop('caller')], step: { name: 'render' }, rendering: { ...report, failure: 'out_of_time' } },
      { redirects: 0, phases: { render: 812 }, unfinished: 'render', renderFailure: 'out_of_time' },
    ],
    [
      'a wait for the fetch of another request',
      { hops: [], step: { name: 'shared' }, sharedMs: 99.6 },
      { redirects: 0, phases: { shared: 100 }, unfinished: 'shared' },
    ],
    [
      'redirects and refreshes are counted, and retries are not',
      { hops: [hop('caller'), hop('redirect'), hop('refresh'), hop('retry as browser')] },
      { redirects: 2, phases: {} },
    ],
    [
      'a rendered page',
      {
        hops: [hop('caller')],
        method: { method: 'headless', reason: 'empty_body' },
        rendering: report,
        usedMethod: 'headless',
      },
      { redirects: 0, phases: { render: 812 }, fetchMethod: 'headless', methodReason: 'empty_body' },
    ],
    [
      'a page that an oEmbed endpoint describes',
      {
        hops: [hop('caller')],
        method: { method: 'http', reason: 'oembed' },
        oembed: { hops: [hop('oembed'), hop('redirect')], durationMs: 41.6 },
        usedMethod: 'http',
      },
      { redirects: 0, phases: { oembed: 42 }, fetchMethod: 'http', methodReason: 'oembed' },
    ],
    [
      'a challenge that the browser could not pass either',
      {
        hops: [hop('caller')],
        method: { method: 'headless', reason: 'challenge' },
        rendering: { ...report, failure: 'out_of_time' },
        interstitial: 'datadome',
      },
      {
        redirects: 0,
        phases: { render: 812 },
        methodReason: 'challenge',
        renderFailure: 'out_of_time',
        interstitial: 'datadome',
      },
    ],
  ])('%s', (_, trace, summary) => expect(fetchSummary(trace)).toEqual(summary))
})
