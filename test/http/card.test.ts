import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { METADATA_EXAMPLE } from '../../src/http/api/schema.ts'
import { startApp, type TestApp } from './app.ts'

describe('/card', () => {
  let app: TestApp
  beforeAll(async () => void (app = await startApp()))
  afterAll(() => app[Symbol.asyncDispose]())

  test('is a page for everybody, with a card that requests the example', async () => {
    const response = await fetch(`${app.url}/card`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('data-endpoint="/card/example?url="')
  })

  test('the example is metadata whose images are on this server', async () => {
    const response = await fetch(`${app.url}/card/example?url=https%3A%2F%2Fa.test`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const { image, favicon, ...rest } = (await response.json()) as Record<string, string>
    expect(METADATA_EXAMPLE).toMatchObject(rest)
    for (const path of [image!, favicon!]) expect((await fetch(app.url + path)).status).toBe(200)
  })
})
