import { expect, test } from 'bun:test'

import {
  mayAffectMetadata,
  resourcePolicyOf,
  type ResourcePolicy,
} from '../../../src/fetch/chromium/resource-policy.ts'

test.each<[type: string, url: string, treatment: ResourcePolicy]>([
  ['document', 'https://site.test/', 'load'],
  ['document', 'http://site.test:8080/', 'load'],
  ['script', 'https://cdn.test/app.js', 'load'],
  ['xhr', 'https://api.site.test/', 'load'],
  ['fetch', 'https://api.site.test/', 'load'],
  ['fetch', 'blob:https://site.test/1', 'load'],
  ['script', 'data:text/javascript,1', 'load'],
  ['other', 'https://site.test/', 'load'],
  ['stylesheet', 'https://site.test/style.css', 'empty response'],
  ['image', 'https://site.test/i.png', 'refuse'],
  ['media', 'https://site.test/v.mp4', 'refuse'],
  ['font', 'https://site.test/f.woff2', 'refuse'],
  ['texttrack', 'https://site.test/t.vtt', 'refuse'],
  ['manifest', 'https://site.test/app.webmanifest', 'refuse'],
  ['ping', 'https://site.test/p', 'refuse'],
  ['eventsource', 'https://site.test/events', 'refuse'],
  ['script', 'https://www.googletagmanager.com/gtm.js', 'refuse'],
  ['xhr', 'https://o1.ingest.sentry.io/api', 'refuse'],
  ['document', 'https://sentry.io/', 'load'],
  ['script', 'https://notsentry.io/a.js', 'load'],
  ['document', 'file:///etc/passwd', 'refuse'],
  ['document', 'view-source:file:///etc/passwd', 'refuse'],
  ['document', 'chrome://version/', 'refuse'],
  ['script', 'chrome-extension://abc/a.js', 'refuse'],
  ['document', 'ftp://site.test/', 'refuse'],
  ['fetch', 'filesystem:https://site.test/temporary/a', 'refuse'],
  ['stylesheet', 'file:///etc/passwd', 'refuse'],
  ['document', 'not a url', 'refuse'],
])('%s %s: %s', (type, url, policy) => expect(resourcePolicyOf({ type, url })).toBe(policy))

test.each<[type: string, url: string, expected: boolean]>([
  ['document', 'https://site.test/', true],
  ['script', 'https://site.test/a.js', true],
  ['fetch', 'https://site.test/a.json', true],
  ['xhr', 'https://site.test/a.json', true],
  ['websocket', 'wss://site.test/', false],
  ['image', 'https://site.test/i.png', false],
  ['stylesheet', 'https://site.test/a.css', false],
  ['script', 'https://www.google-analytics.com/analytics.js', false],
])('%s %s may bring metadata: %p', (type, url, expected) => expect(mayAffectMetadata({ type, url })).toBe(expected))
