import { expect } from 'bun:test'

import type { Finding } from '../../../../src/service/operation/doctor.ts'

/** Expects a finding of this status, with a part of its detail, and with a remedy only if something must be done. */
export function expectFinding(finding: Finding, status: Finding['status'], detail = '') {
  expect(finding).toMatchObject({ status, detail: expect.stringContaining(detail) })
  const needsRemedy = status === 'warning' || status === 'failed'
  expect('remedy' in finding ? /\w{3}/.test(finding.remedy) : null).toBe(needsRemedy || null)
}
