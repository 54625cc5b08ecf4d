import { describe, expect, test } from 'bun:test'

import { isLoginWall, type FinalPage } from '../../../src/core/walls/login-wall.ts'

const SITE = 'https://site.test'
const SHORT_FORM = { title: 'Log in', textLength: 80, hasPasswordField: true }

function pageAfter(from: string | readonly string[], to: string, page: Partial<FinalPage> = {}): FinalPage {
  const previousUrls = [from].flat().map((address) => new URL(address, SITE))
  return {
    previousUrls,
    url: new URL(to, SITE),
    title: '',
    textLength: null,
    hasPasswordField: false,
    isArticle: false,
    ...page,
  }
}

describe('login walls', () => {
  test.each<[name: string, page: FinalPage]>([
    ['Instagram', pageAfter('/p/Cx1/', '/accounts/login/?next=/p/Cx1/')],
    ['the address encoded', pageAfter('/p/Cx1/', '/accounts/login/?next=%2Fp%2FCx1%2F')],
    ['the address encoded twice', pageAfter('/p/a', '/login?next=https%253A%252F%252Fsite.test%252Fp%252Fa')],
    ['the whole address', pageAfter('/p/a?b=1', '/login?return_to=https://site.test/p/a?b=1')],
    ['a letter with a mark in it', pageAfter('/p/é', '/login?next=/p/%25C3%25A9')],
    [
      'Facebook',
      pageAfter('/groups/1/', 'https://www.facebook.com/login/?next=https%3A%2F%2Fsite.test%2Fgroups%2F1%2F'),
    ],
    [
      'LinkedIn',
      pageAfter('/in/jo', '/authwall?trk=x&original_referer=&sessionRedirect=https%3A%2F%2Fsite.test%2Fin%2Fjo'),
    ],
    ['Google', pageAfter('/d/1', 'https://accounts.google.com/ServiceLogin?continue=https://site.test/d/1&hl=en')],
    ['GitLab', pageAfter('/private/repo', '/users/sign_in', SHORT_FORM)],
    ['WordPress', pageAfter('/wp-admin/x', '/wp-login.php?redirect_to=https://site.test/wp-admin/x&reauth=1')],
    ['an extension', pageAfter('/a', '/Account/Login.aspx?ReturnUrl=%2Fa')],
    ['a checkpoint', pageAfter('/posts/1', '/checkpoint/?next=/posts/1')],
    ['signing up', pageAfter('/story', '/register?next=/story')],
    ['another host', pageAfter('/a', 'https://login.site.test/?target=https://site.test/a')],
    [
      'OAuth',
      pageAfter('/a', 'https://id.test/x?client_id=1&response_type=code&redirect_uri=https://site.test/callback'),
    ],
    ['SAML', pageAfter('/a', 'https://idp.test/x?SAMLRequest=fZ')],
    ['after another redirect', pageAfter(['http://site.test/a', '/a'], '/login?next=/a')],
    ['by the address before a redirect', pageAfter(['https://t.test/x', '/a'], '/login?next=https://t.test/x')],
    ['the home page', pageAfter('/', '/login?next=/')],
    ['without an address, with a title', pageAfter('/a', '/login', { title: 'Log in | Site' })],
    ['without an address, with little text', pageAfter('/a', '/login', { textLength: 200 })],
    ['without an address, with og: tags', pageAfter('/a', '/login', { title: 'Welcome back' })],
    ['a login page that scripts fill', pageAfter([], '/secret', { title: 'Sign in', textLength: 60 })],
    ['a form at the URL itself', pageAfter([], '/secret', SHORT_FORM)],
    [
      'a form at the URL itself, with the name of the site',
      pageAfter([], '/secret', { ...SHORT_FORM, title: 'Sign in · Site' }),
    ],
    [
      'a form at the URL itself, in another language',
      pageAfter([], '/geheim', { ...SHORT_FORM, title: 'Anmelden - Seite' }),
    ],
    ['a form after a redirect to https', pageAfter('http://site.test/secret', '/secret', SHORT_FORM)],
    ['a form on the home page, for another page', pageAfter('/secret', '/', SHORT_FORM)],
    ['a form with the name of the site first', pageAfter([], '/secret', { ...SHORT_FORM, title: 'Site | Log in' })],
    ['a form of Microsoft', pageAfter([], '/secret', { ...SHORT_FORM, title: 'Sign in to your account' })],
    ['Spring Security', pageAfter('/a', '/login;jsessionid=0F2', SHORT_FORM)],
    ['Confluence', pageAfter('/display/A', '/login.action?os_destination=%2Fdisplay%2FA', { title: 'Log In - Wiki' })],
    ['a checkpoint without an address', pageAfter('/posts/1', '/checkpoint/lg', { textLength: 200 })],
    ['single sign-on without an address', pageAfter('https://a.test/1', 'https://b.test/sso', { title: 'Sign in' })],
    ['a path in another language', pageAfter('/a', '/de/anmeldung', { textLength: 200 })],
    [
      'a form at a path in any language, with the address',
      pageAfter('/a', '/bejelentkezes?vissza=%2Fa', { textLength: 500, hasPasswordField: true }),
    ],
    ['a requested sign-up page that led to a login page', pageAfter('/join/1', '/login?to=/join/1', SHORT_FORM)],
    ['MediaWiki', pageAfter([], '/wiki/Secret', { ...SHORT_FORM, title: 'Login required - Wiki' })],
  ])('%s', (_, page) => expect(isLoginWall(page)).toBe(true))
})

// Comparing each parameter with each URL by a regular expression would take minutes.
test('long URLs with thousands of parameters and slashes', () => {
  const previousUrls = Array.from(
    { length: 10 },
    (_, index) => `https://login.site.test/${'/'.repeat(4_000)}x?${index}`,
  )
  const parameters = 'next=/&'.repeat(1_000)
  const page = pageAfter(previousUrls, `https://login.site.test/a?${parameters}`, { textLength: 1 })
  expect(isLoginWall(page)).toBe(false)
})

describe('other pages', () => {
  test.each<[name: string, page: FinalPage]>([
    [
      'a page that offers to sign in',
      pageAfter([], '/story', { title: 'A story', textLength: 90, hasPasswordField: true }),
    ],
    ['a title that starts with the same words', pageAfter([], '/a', { ...SHORT_FORM, title: 'Login trouble in Rome' })],
    ['a long text with the title of a login page', pageAfter([], '/a', { ...SHORT_FORM, textLength: 501 })],
    [
      'the title of a login page and text without a form',
      pageAfter([], '/a', { ...SHORT_FORM, hasPasswordField: false }),
    ],
    ['the title of a login page and og: tags', pageAfter([], '/a', { title: 'Login', hasPasswordField: true })],
    ['a home page with a form', pageAfter([], '/', SHORT_FORM)],
    ['a requested login page', pageAfter([], '/login', SHORT_FORM)],
    ['a requested sign-up page', pageAfter([], '/signup', { ...SHORT_FORM, title: 'Sign up | Site' })],
    ['a requested sign-up page that was moved', pageAfter('/join', '/en/join', { ...SHORT_FORM, title: 'Sign up' })],
    ['a requested login page that was moved', pageAfter('/login', '/en/login?next=/login', SHORT_FORM)],
    ['a redirect to an article', pageAfter('/a', '/articles/a')],
    [
      'a redirect to an article about it',
      pageAfter('/a', '/articles/login-is-broken', { ...SHORT_FORM, title: 'Login is broken' }),
    ],
    ['a long page at such a path', pageAfter('/1', '/login', { title: 'How to', textLength: 1_501 })],
    ['a manual', pageAfter('/help/1', '/docs/login', { title: 'Login - Docs', textLength: 200 })],
    ['an article', pageAfter('/1', '/2026/login', { title: 'How to', isArticle: true })],
    ['a redirect with the address to a page that is not a login page', pageAfter('/a', '/b?from=/a')],
    ['a login host with another address', pageAfter('/a', 'https://login.site.test/home?lang=/b')],
    ['a number instead of a URL', pageAfter('/1', '/register?next=1')],
    ['a short page with a form and no address', pageAfter('/a', '/b', { textLength: 200, hasPasswordField: true })],
    [
      'a page with a form in its header, and the address',
      pageAfter('/a', '/b?from=/a', { textLength: 501, hasPasswordField: true }),
    ],
    [
      'an article with a form in its header, and the address',
      pageAfter('/a', '/b?from=/a', { textLength: 200, hasPasswordField: true, isArticle: true }),
    ],
    ['the address of another site', pageAfter('/a', '/signup?next=https://other.test/a')],
    ['within a path with such a segment', pageAfter('/join/us', '/join/us/now?from=/join/us')],
    ['a redirect to the same URL', pageAfter('/a', '/a', { title: 'A' })],
    ['a short link to a programme', pageAfter('https://t.test/1', '/programmes/checkpoint/1', { title: 'News' })],
    ['a short link to a product', pageAfter('https://t.test/1', '/products/sso', { title: 'SSO', textLength: 900 })],
    ['a home page with a form, after a redirect', pageAfter('http://site.test/', '/', SHORT_FORM)],
    ['a requested login host', pageAfter('https://login.site.test/', '/oauth2/x?client_id=1&response_type=code')],
    ['a requested login page over https', pageAfter('http://site.test/login', '/login', SHORT_FORM)],
    [
      'a colon within a title',
      pageAfter([], '/a', { ...SHORT_FORM, title: 'Sign in: how we built it', textLength: 501 }),
    ],
  ])('%s', (_, page) => expect(isLoginWall(page)).toBe(false))
})
