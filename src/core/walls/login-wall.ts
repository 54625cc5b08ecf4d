import { wordSet } from '../word-set.ts'
import lists from './login-words.json'
import { hasReturnUrl } from './return-url.ts'

/** The page at the end of a redirect chain. */
export interface FinalPage {
  /** The requested URL and the redirects that led to the page, without the page itself. */
  previousUrls: readonly URL[]
  url: URL
  title: string
  /** Visible characters; null if the body was not counted. */
  textLength: number | null
  hasPasswordField: boolean
  /** Whether the page's type or publication time shows that it is an article. */
  isArticle: boolean
}

const LOGIN_WORDS = wordSet(lists.login)

/** Path segments of login pages that other pages may have too, such as the page of a program called "Checkpoint". */
const AMBIGUOUS_LOGIN_WORDS = wordSet(lists.ambiguous)

const SIGN_UP_WORDS = wordSet(lists.signUp)

/** Path segments of pages that are login pages only if their query contains the requested URL. */
const ACCOUNT_WORDS = SIGN_UP_WORDS.union(wordSet(lists.account))

/** Path segments of articles and documentation, which may be about signing in. */
const EXPLANATION_WORDS = wordSet(lists.explanation)

/** The first labels of hosts that serve only login pages. */
const LOGIN_HOSTS = wordSet(lists.hosts)

/** The separators between the page's and the site's name in titles. */
const TITLE_SEPARATOR = /\s*[|•·–—:]\s|\s*-\s/u

/** Matches the first or the last part of a login page's title. The other part is the site's name. */
const LOGIN_TITLE =
  /^(?:please )?(?:log ?in|log ?on|sign ?in|sign ?up|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|inicia sesión|entrar|accedi|inloggen|logga in|zaloguj(?: się)?|вход|войти|ログイン|登录|登入|로그인)(?: required| to (?:continue|your account))?$/iu

/** The maximum number of visible characters on a login page. Longer pages are articles or documentation. */
const MAX_LOGIN_TEXT = 1_500

/** The maximum number of visible characters on a page that is recognized by its title and password field alone. */
const MAX_LOGIN_FORM_TEXT = 500

/** The limit for pages without a password field, which scripts may add. */
const MAX_LOGIN_SHELL_TEXT = 60

export function isLoginWall(page: FinalPage): boolean {
  const { previousUrls, url } = page
  const first = previousUrls[0]
  // The requested page itself is a login page, so it is not a wall.
  if (isRequestedLogin(first ?? url)) return false
  if (isLoginForm(page)) return true
  if (first === undefined || first.href === url.href) return false
  if (isReturningLogin(page) || isAuthorization(page) || hasReturningForm(page)) return true
  return isLoginPath(url) && looksLikeLogin(page)
}

export function isRequestedLogin(url: URL): boolean {
  return isLoginPath(url) || (isLoginHost(url) && url.pathname === '/')
}

/**
 * Recognizes a login form at a path that is not a login page's. Requested home and sign-up pages may have such a form.
 */
function isLoginForm({ previousUrls, url, title, textLength, hasPasswordField }: FinalPage): boolean {
  const requested = previousUrls.find(({ host }) => host === url.host) ?? url
  if (requested.pathname === '/' || hasSegment(requested, SIGN_UP_WORDS)) return false
  if (isLoginPath(url) || textLength === null) return false
  return isLoginTitle(title) && textLength <= (hasPasswordField ? MAX_LOGIN_FORM_TEXT : MAX_LOGIN_SHELL_TEXT)
}

function isLoginTitle(title: string): boolean {
  const parts = title.split(TITLE_SEPARATOR)
  return [parts[0]!, parts.at(-1)!].some((part) => LOGIN_TITLE.test(part))
}

/** The name of the site in the title of its login page, such as "Connexion • Instagram"; null for other titles. */
export function loginSiteName(title: string): string | null {
  const [first = '', second, ...others] = title.split(TITLE_SEPARATOR)
  if (second === undefined || others.length > 0) return null
  if (LOGIN_TITLE.test(first)) return second
  return LOGIN_TITLE.test(second) ? first : null
}

/** Pages about signing in may have such paths too, but they are longer or are articles. */
function looksLikeLogin({ previousUrls, url, title, textLength, isArticle }: FinalPage): boolean {
  if (isArticle || hasSegment(url, EXPLANATION_WORDS)) return false
  if (isLoginTitle(title)) return true
  // A short link may lead to a page at an ambiguous path. The site itself redirects from its pages only to its login
  // page.
  const isCertain = hasSegment(url, LOGIN_WORDS) || previousUrls.some(({ host }) => host === url.host)
  return isCertain && (textLength === null || textLength <= MAX_LOGIN_TEXT)
}

/** Recognizes a login page that will lead back to a requested URL, such as `/accounts/login/?next=/p/1/`. */
function isReturningLogin({ previousUrls, url }: FinalPage): boolean {
  // Pages below `/session` or `/join` may redirect among themselves.
  const isAccountPath =
    hasSegment(url, ACCOUNT_WORDS) && !previousUrls.some((address) => hasSegment(address, ACCOUNT_WORDS))
  return (isLoginPath(url) || isAccountPath || isLoginHost(url)) && hasReturnUrl(url, previousUrls)
}

/**
 * Recognizes a short page with a password field that leads back to a requested URL, at any path and in any language.
 */
function hasReturningForm({ previousUrls, url, textLength, hasPasswordField, isArticle }: FinalPage): boolean {
  const isForm = hasPasswordField && !isArticle && textLength !== null && textLength <= MAX_LOGIN_FORM_TEXT
  return isForm && hasReturnUrl(url, previousUrls)
}

/**
 * Whether the query has the parameters that every OAuth 2.0 authorization request has (RFC 6749 section 4.1.1), or the
 * parameters of a SAML request (SAML bindings 3.4).
 */
function isAuthorization({ url: { searchParams } }: FinalPage): boolean {
  return (searchParams.has('client_id') && searchParams.has('response_type')) || searchParams.has('SAMLRequest')
}

export function mayBeLoginPage(url: URL): boolean {
  return isLoginPath(url) || hasSegment(url, ACCOUNT_WORDS) || isLoginHost(url)
}

function isLoginPath(url: URL): boolean {
  return hasSegment(url, LOGIN_WORDS) || hasSegment(url, AMBIGUOUS_LOGIN_WORDS)
}

function isLoginHost({ hostname }: URL): boolean {
  return LOGIN_HOSTS.has(hostname.split('.', 1)[0]!)
}

/** Whether a segment of the path is one of the words, with or without an extension and parameters (`;jsessionid=1`). */
function hasSegment({ pathname }: URL, words: ReadonlySet<string>): boolean {
  return pathname.split('/').some((segment) => words.has(segment.toLowerCase().replace(/(?:\.\w{2,6})?(?:;.*)?$/, '')))
}
