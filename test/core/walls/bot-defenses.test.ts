import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'

import { extractHtml } from '../../../src/core/extract/extract.ts'
import { defenseOf } from '../../../src/core/walls/bot-defenses.ts'
// From npm's is-antibot 2.5.15, with its license in the same folder.
import { providers } from '../../fixtures/is-antibot/providers.json'

const fieldsOf = (headers: Record<string, string>) =>
  new Map(Object.entries(headers).map(([name, value]) => [name, [value]]))

describe('a bot defense is recognized by the head of its response', () => {
  test.each<[name: string, status: number, headers: Record<string, string>, expected: ReturnType<typeof defenseOf>]>([
    ['Cloudflare', 403, { 'cf-mitigated': 'challenge' }, { name: 'cloudflare', isCertain: true }],
    ['Cloudflare with 200', 200, { 'cf-mitigated': 'challenge' }, { name: 'cloudflare', isCertain: true }],
    ['Cloudflare, upper case', 403, { 'cf-mitigated': 'Challenge' }, { name: 'cloudflare', isCertain: true }],
    ['another value of its header', 403, { 'cf-mitigated': 'log' }, null],
    ['Vercel', 429, { 'x-vercel-mitigated': 'challenge' }, { name: 'vercel', isCertain: true }],
    ['Vercel, denied', 403, { 'x-vercel-mitigated': 'deny' }, { name: 'vercel', isCertain: true }],
    ['AWS WAF with 202', 202, { 'x-amzn-waf-action': 'challenge' }, { name: 'aws_waf', isCertain: true }],
    ['AWS WAF with 405', 405, { 'x-amzn-waf-action': 'captcha' }, { name: 'aws_waf', isCertain: true }],
    ['DataDome', 403, { 'x-datadome': 'protected', 'x-dd-b': '1' }, { name: 'datadome', isCertain: true }],
    ['DataDome, by its cookie id', 403, { 'x-datadome-cid': 'A' }, { name: 'datadome', isCertain: true }],
    ['a page that DataDome let through', 200, { 'x-datadome': 'protected' }, null],
    ['an uncertain sign of DataDome', 200, { 'x-datadome-cid': 'A' }, { name: 'datadome', isCertain: false }],
    ['Kasada', 429, { 'x-kpsdk-ct': 'A' }, { name: 'kasada', isCertain: true }],
    ['Kasada, by a header with its name', 403, { 'x-kasada': '1' }, { name: 'kasada', isCertain: true }],
    ['an uncertain sign of Kasada', 200, { 'x-kpsdk-ct': 'A' }, { name: 'kasada', isCertain: false }],
    ['a longer name', 403, { 'x-kpsdkish': 'A' }, null],
    ['Akamai', 403, { 'akamai-cache-status': 'Error from child' }, { name: 'akamai', isCertain: true }],
    ['a site behind Akamai that is down', 503, { 'akamai-cache-status': 'Error from child' }, null],
    ['another error of a site behind Akamai', 403, { 'akamai-cache-status': 'Error from parent' }, null],
    ['Imperva', 403, { 'x-iinfo': '1-2-3' }, { name: 'imperva', isCertain: true }],
    ['a site behind Imperva', 200, { 'x-iinfo': '1-2-3', 'x-cdn': 'Incapsula' }, null],
    ['a site behind Imperva that is down', 503, { 'x-iinfo': '1-2-3', 'x-cdn': 'Incapsula' }, null],
    ['LinkedIn', 999, {}, { name: 'other_challenge', isCertain: true }],
    ['DataDome by status', 403, { 'x-dd-b': '1' }, { name: 'datadome', isCertain: true }],
    ['a 404 behind a defense', 404, { 'x-datadome-cid': 'A' }, { name: 'datadome', isCertain: false }],
    ['a plain 403', 403, { server: 'nginx' }, null],
    ['a page', 200, { server: 'cloudflare', 'cf-ray': '1' }, null],
  ])('%s', (_, status, headers, expected) => expect(defenseOf(status, fieldsOf(headers))).toEqual(expected))
})

interface Rule {
  header?: string
  headerNamePattern?: string
  equals?: string
  startsWith?: string
  oneOf?: string[]
  cookie?: string
  contains?: string
  regex?: string
  flags?: string
}

interface Detection {
  type: string
  domain?: string
  domainWithoutSuffix?: string
  statusCodes?: number[]
  rules: Rule[]
}

/** A header that a rule is about, and a value that it accepts. */
function headerOf({ header = 'x-a1b2c3d4-a', equals, startsWith, oneOf }: Rule): [string, string] {
  return [header, equals ?? startsWith ?? oneOf?.[0] ?? 'x']
}

describe('the rules of is-antibot for headers', () => {
  /** Its rules that are not used, with the reason. */
  const LEFT_OUT: Record<string, string> = {
    'akamai-cache-status: Error': 'the site itself may have failed; only the value for a refusal counts',
    'x-cache: Error from cloudfront': 'on every error of a site behind CloudFront, its own included',
    'server: hcdn': 'on every response of a host of web sites',
  }
  const rules = providers.flatMap(({ name, detections }) =>
    (detections as Detection[])
      .filter(({ type }) => type === 'headers')
      .flatMap(({ statusCodes, rules: all }) =>
        all.map((rule) => ({ name, label: headerOf(rule).join(': '), rule, status: statusCodes?.[0] ?? 403 })),
      ),
  )
  test('are more than 12', () => expect(rules.length).toBeGreaterThan(12))

  test.each(rules)('of $name, $label', ({ label, rule, status }) => {
    const [header, value] = headerOf(rule)
    const isLeftOut = label in LEFT_OUT
    expect(defenseOf(status, fieldsOf({ [header]: value })) === null).toBe(isLeftOut)
  })

  test('each rule that is not used exists', () => {
    const all = new Set(rules.map(({ label }) => label))
    expect(Object.keys(LEFT_OUT).filter((rule) => !all.has(rule))).toEqual([])
  })
})

describe('the rules of is-antibot for cookies are not used', () => {
  const cookies = providers.flatMap(({ detections }) =>
    (detections as Detection[]).flatMap(({ rules }) => rules.flatMap(({ cookie = [] }) => cookie)),
  )
  test.each(cookies)('%s', (cookie) => expect(defenseOf(403, fieldsOf({ 'set-cookie': `${cookie}1` }))).toBeNull())
})

describe('the rules of is-antibot for bodies, on the fixtures', async () => {
  /** Pages on which the two disagree, with the reason. */
  const OUR_TITLE = 'we know its title and text as well; is-antibot knows only its code'
  const ONLY_MENTIONED = 'an article or a header mentions the code, which is not run'
  const DISAGREEMENTS: Record<string, string> = {
    'article-that-quotes-a-challenge': ONLY_MENTIONED,
    'challenge-akamai': OUR_TITLE,
    'challenge-cloudflare-block': OUR_TITLE,
    'challenge-cloudflare-turnstile': OUR_TITLE,
    'challenge-ddos-guard': OUR_TITLE,
    'challenge-imperva': OUR_TITLE,
    'challenge-title-with-description': 'it has a description, which challenges do not have',
    'challenge-titled-security-check': OUR_TITLE,
    'challenge-vercel': 'is-antibot knows it by its header alone',
    'challenge-without-maker': OUR_TITLE,
    'page-that-allows-a-captcha-host': ONLY_MENTIONED,
    'page-that-speaks-of-a-challenge-script': ONLY_MENTIONED,
    'shell-that-allows-a-captcha-host': ONLY_MENTIONED,
  }
  const htmlRules = providers.flatMap(({ category, detections }) =>
    (detections as Detection[])
      .filter(({ type, domain, domainWithoutSuffix, statusCodes }) => {
        const isForAllPages = domain === undefined && domainWithoutSuffix === undefined && statusCodes === undefined
        return type === 'html' && category !== 'platform' && isForAllPages
      })
      .flatMap(({ rules }) => rules),
  )
  const isChallengeOfPackage = (html: string) =>
    htmlRules.some(({ contains, regex, flags }) =>
      contains === undefined ? new RegExp(regex ?? '', flags ?? 'i').test(html) : holds(html, contains),
    )
  const folder = join(import.meta.dir, '../../fixtures/pages')
  const names = [...new Bun.Glob('*/page.html').scanSync(folder)].map((path) => dirname(path)).toSorted()
  const disagreements: string[] = []
  for (const name of names) {
    const bytes = await Bun.file(join(folder, name, 'page.html')).bytes()
    const url = new URL('https://site.test/a/b/page')
    const { evidence } = extractHtml({ bytes, encoding: 'utf-8', url })
    const isOurs = evidence.interstitial !== null && evidence.interstitial !== 'consent'
    if (isOurs !== isChallengeOfPackage(new TextDecoder().decode(bytes))) disagreements.push(name)
  }

  test('agree with the rules here, with listed exceptions', () =>
    expect(disagreements).toEqual(Object.keys(DISAGREEMENTS).toSorted()))
})

/** Compares as is-antibot does, without case. */
function holds(html: string, text: string): boolean {
  return html.toLowerCase().includes(text.toLowerCase())
}
