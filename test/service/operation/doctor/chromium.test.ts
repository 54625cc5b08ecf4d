import { expect, test } from 'bun:test'

import { FetchError } from '../../../../src/core/errors.ts'
import type { Finding } from '../../../../src/service/operation/doctor.ts'
import {
  chromiumFinding,
  headlessGuardFinding,
  httpGuardFinding,
  type Rendering,
  SCRIPT_TITLE,
} from '../../../../src/service/operation/doctor/chromium.ts'
import { expectFinding } from './expect-finding.ts'

type Status = Finding['status']

const refused = new FetchError('address_not_allowed')

test.each<[name: string, reached: boolean, failure: unknown, allowsPrivateHosts: boolean, status: Status]>([
  ['is refused', false, refused, false, 'ok'],
  ['is refused, and others are allowed', false, refused, true, 'ok'],
  ['is reached', true, null, false, 'failed'],
  ['is reached, even if the fetch fails', true, refused, false, 'failed'],
  ['is reached because it is allowed', true, null, true, 'warning'],
  ['is not refused, but fails otherwise', false, new FetchError('connection_refused'), false, 'failed'],
  ['is not refused, although another server responds', false, null, false, 'failed'],
])('a fetch of a private address: it %s', (_, reached, failure, allowsPrivateHosts, status) =>
  expectFinding(httpGuardFinding(reached, failure, allowsPrivateHosts), status),
)

const RENDERED: Rendering = {
  title: SCRIPT_TITLE,
  reached: false,
  browser: { version: 'Chromium 156', hasSandbox: true },
  fault: null,
}

test.each<[name: string, rendering: Partial<Rendering>, allowsPrivateHosts: boolean, status: Status]>([
  ['does not reach it', {}, false, 'ok'],
  ['reaches it', { reached: true }, false, 'failed'],
  ['reaches it because it is allowed', { reached: true }, true, 'warning'],
  ['is not rendered', { title: null, reached: true }, false, 'skipped'],
  ['runs no script', { title: 'as sent' }, false, 'skipped'],
])('a page that loads a private address %s', (_, rendering, allowsPrivateHosts, status) =>
  expectFinding(headlessGuardFinding({ ...RENDERED, ...rendering }, allowsPrivateHosts), status),
)

const fault = new Error('no such file')

test.each<[name: string, isRemote: boolean, rendering: Partial<Rendering>, status: Status, detail: string]>([
  ['in its sandbox', false, {}, 'ok', 'Chromium 156 renders pages, in its sandbox'],
  ['elsewhere', true, { browser: { version: 'C', hasSandbox: null } }, 'ok', 'C renders pages, at /c'],
  [
    'without a sandbox',
    false,
    { browser: { version: 'C', hasSandbox: false } },
    'warning',
    'C renders pages, without its sandbox',
  ],
  ['that does not start', false, { browser: null, fault }, 'failed', '/c does not start: no such file'],
  ['that fails', false, { title: null, fault }, 'failed', '/c cannot render a page: no such file'],
  ['that runs no script', false, { title: 'as sent' }, 'failed', '/c cannot render a page: as sent'],
])('a Chromium %s', (_, isRemote, rendering, status, detail) =>
  expectFinding(chromiumFinding('/c', isRemote, { ...RENDERED, ...rendering }), status, detail),
)

test.each([
  [true, 'URLMETA_CHROMIUM_PROXY'],
  [false, 'Run /c --version'],
])('a Chromium that does not start, elsewhere: %p', (isRemote, remedy) =>
  expect(chromiumFinding('/c', isRemote, { ...RENDERED, browser: null, fault })).toMatchObject({
    remedy: expect.stringContaining(remedy),
  }),
)
