import { describe, expect, test } from 'bun:test'

import { prepareReload } from '../../src/cli/reload.ts'
import { parseConfig } from '../../src/config.ts'
import type { Env } from '../../src/config/env-reader.ts'

function loaded(env: Env) {
  const parsed = parseConfig(env, { cpus: 2, memoryBytes: 4 * 1024 ** 3 })
  if ('errors' in parsed) throw new Error(parsed.errors.join('\n'))
  return parsed
}

const reload = (before: Env, after: Env) => prepareReload(loaded(before), loaded(after))

describe('a variable that a reload applies', () => {
  test.each([
    ['URLMETA_LOG', 'debug'],
    ['URLMETA_ALLOW_PRIVATE_HOSTS', '10.0.0.1'],
    ['URLMETA_PLAN_FREE_PER_MINUTE', '7'],
    ['URLMETA_PLAN_BUSINESS_KEYS', '7'],
  ])('%s', (name, value) => {
    const { changed, needRestart, next } = reload({}, { [name]: value })
    expect([changed, needRestart]).toEqual([[name], []])
    expect(next.variables.find((variable) => variable.name === name)?.value).toBe(value)
  })
})

describe('a variable that needs a restart', () => {
  test.each([
    ['URLMETA_PORT', '8080'],
    ['URLMETA_CORS_ORIGINS', 'https://a.example'],
    ['URLMETA_BROWSER_PER_MINUTE', '7'],
    ['URLMETA_CACHE_TTL', '1h'],
  ])('%s changes no setting of requests, and is shown as it was', (name, value) => {
    const { changed, needRestart, next } = reload({}, { [name]: value })
    expect(changed).toEqual([])
    expect(needRestart).toContain(name)
    expect(next.config.live).toEqual(loaded({}).config.live)
    expect(next.variables).toEqual([...loaded({}).variables])
  })
})
