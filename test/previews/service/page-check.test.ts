import { describe, expect, test } from 'bun:test'

import { LIMIT_REACHED } from '../../../src/core/fetch/image-facts.ts'
import type { PageTexts } from '../../../src/core/fetch/ports.ts'
import { APP_IDS, createPageChecker } from '../../../src/previews/service/page-check.ts'
import { htmlOf, imageFacts, PAGE_URL, tagsOf } from '../preview-page.ts'

const CALLER = { userId: null, publicOnly: false }
const TAGS = ['<title>=Lights', 'og:title=Lights', 'og:image=https://www.example.com/a.jpg']

/** A page that was read with these tags; null for a file. */
function pageOf(tags: readonly string[] | null): Pick<PageTexts, 'json' | 'details'> & { url: string } {
  const plain = tags && tagsOf(htmlOf(tags))
  const trace = { hops: [{ url: PAGE_URL, status: 200, by: 'caller', timing: {} }] }
  return { url: PAGE_URL, json: '{"title":"Lights"}', details: JSON.stringify({ sources: {}, trace, tags: { plain } }) }
}

/** Finds the image, and no robots.txt. */
const checkPage = createPageChecker(async (_, record) => ({ ...record, images: [imageFacts('1200x630')] }))

const check = async (page: ReturnType<typeof pageOf>, apps: readonly string[] = []) =>
  (await checkPage(CALLER, page, { apps, signal: AbortSignal.timeout(5_000), readCache: true })).check

const found = ({ findings }: Awaited<ReturnType<typeof check>>) =>
  findings.map(({ severity, subject }) => `${severity} ${subject}`)

describe('the check of a page', () => {
  test('says what each app shows, in the order of the playground', async () => {
    const { url, apps } = await check(pageOf(TAGS))
    expect([url, apps.map(({ id }) => id)]).toEqual([PAGE_URL, [...APP_IDS]])
    expect(apps.find(({ id }) => id === 'facebook')).toEqual({
      id: 'facebook',
      name: 'Facebook',
      state: 'fits',
      text: 'Large image',
    })
    expect(apps.find(({ id }) => id === 'x')).toMatchObject({ state: 'none' })
  })

  test('says why an app of the list shows no card', async () => {
    const [finding] = (await check(pageOf(TAGS), ['x'])).findings
    expect(finding).toMatchObject({ subject: 'X', reason: expect.stringMatching(/^No card: .+\.$/), apps: ['x'] })
  })

  test('has no findings that passed, the most severe first', async () => {
    const findings = found(await check(pageOf(TAGS)))
    expect(findings[0]).toStartWith('warning ')
    expect(findings).toContain('notice og:type')
    expect(findings.filter((finding) => finding.startsWith('ok'))).toEqual([])
  })

  test.each<[apps: string[], contained: string[], missing: string[]]>([
    [[], ['warning twitter:card', 'notice canonical', 'notice og:image:width'], ['error X']],
    [['x'], ['error X', 'warning twitter:card'], ['notice canonical', 'notice og:image:width', 'error Facebook']],
    [['facebook'], ['notice og:image:width'], ['warning twitter:card', 'notice canonical', 'error X']],
    [['google', 'facebook'], ['notice canonical', 'notice og:image:width'], ['warning twitter:card']],
    [['signal'], ['notice og:type'], ['notice canonical', 'error Signal']],
  ])('for the apps %j', async (apps, contained, missing) => {
    const checked = await check(pageOf(TAGS), apps)
    expect(checked.apps.map(({ id }) => id).toSorted()).toEqual(
      apps.length === 0 ? [...APP_IDS].toSorted() : apps.toSorted(),
    )
    expect(found(checked)).toEqual(expect.arrayContaining(contained))
    expect(found(checked).filter((finding) => missing.includes(finding))).toEqual([])
  })

  test.each([
    ['images', { images: [{ ...imageFacts('1200x630'), problem: LIMIT_REACHED }] }],
    ['robots.txt', { robots: [{ url: PAGE_URL, file: '/robots.txt', problem: LIMIT_REACHED, disallowed: [] }] }],
  ])('is not made without the %s that a limit per minute did not allow', async (_, limits) => {
    const limited = createPageChecker(async (_caller, record) => ({ ...record, ...limits }))
    const options = { apps: [], signal: AbortSignal.timeout(5_000), readCache: true }
    await expect(limited(CALLER, pageOf(TAGS), options)).rejects.toThrow('too many pages')
  })

  test.each<[name: string, page: ReturnType<typeof pageOf>, message: string]>([
    ['a file', pageOf(null), 'leads to a file'],
    ['tags that were too large', { ...pageOf(TAGS), details: undefined }, 'too large'],
  ])('%s has none', async (_, page, message) => {
    await expect(check(page)).rejects.toThrow(message)
  })
})
