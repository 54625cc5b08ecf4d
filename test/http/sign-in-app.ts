import { type GithubEnterprise, startGithubEnterprise } from '../identity/github-enterprise.ts'
import { type OidcIssuer, type OidcOptions, startOidc } from '../identity/oidc.ts'
import { CLIENT, OPERATOR, type Person, signInEnv } from '../identity/people.ts'
import { startApp, type TestApp, type TestAppOptions } from './app.ts'
import { type Browser, createBrowser, type Visited } from './browser.ts'

/** The service with a GitHub Enterprise and two OpenID Connect providers, all configured for sign-in. */
export interface SignInApp extends AsyncDisposable {
  app: TestApp
  /** The public origin. */
  base: string
  github: GithubEnterprise
  /** Configured as Google. */
  oidc: OidcIssuer
  /** Configured by URLMETA_OIDC_<NAME>_…; its label is `Staff login`. */
  staff: OidcIssuer
  /** A browser without cookies. */
  browser(): Browser
  /** A browser in which the person is signed in. */
  signedIn(person: Person, by?: ProviderName): Promise<Browser>
  /** Requests a page of the origin in the playground; returns its result. */
  play(browser: Browser, path: string, fields?: Record<string, string>): Promise<Visited>
}

export type ProviderName = 'github' | 'google' | 'staff'

export async function startSignInApp({ env = {}, emailIn, ...options }: TestAppOptions & OidcOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const github = stack.use(startGithubEnterprise())
  const oidc = stack.use(await startOidc(emailIn ? { emailIn } : {}))
  const staff = stack.use(await startOidc())
  const app = stack.use(
    await startApp({
      ...options,
      env: {
        ...signInEnv(github, oidc),
        URLMETA_OIDC_STAFF_CLIENT_ID: CLIENT.id,
        URLMETA_OIDC_STAFF_CLIENT_SECRET: CLIENT.secret,
        URLMETA_OIDC_STAFF_ISSUER: staff.issuer,
        URLMETA_OIDC_STAFF_LABEL: 'Staff login',
        URLMETA_ADMIN_EMAILS: OPERATOR.email,
        // Each browser has its own address, so that only the test of the limit reaches it.
        URLMETA_TRUSTED_PROXIES: '127.0.0.1, ::1',
        ...env,
      },
    }),
  )
  const base = app.url.replace('127.0.0.1', 'localhost')
  oidc.open(`${base}/sign-in/google/callback`)
  staff.open(`${base}/sign-in/staff/callback`)
  let visitors = 0
  const browser = () => createBrowser(base, `10.1.${(visitors >> 8) & 255}.${visitors++ & 255}`)

  const owned = stack.move()
  return {
    app,
    base,
    github,
    oidc,
    staff,
    browser,
    async signedIn(person: Person, by: ProviderName = 'github') {
      const fresh = browser()
      await signInBy(fresh, person, by)
      return fresh
    },
    async play(by: Browser, path: string, fields = {}) {
      await by.get('/playground')
      return by.send('/playground', { url: app.origin + path, timeout: '5000', ...fields })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  } satisfies SignInApp
}

/** Signs in at the provider and returns to the service. */
export async function signInBy(browser: Browser, person: Person, by: ProviderName, next = ''): Promise<Visited> {
  await browser.get(`/sign-in/${by}${next && `?next=${encodeURIComponent(next)}`}`)
  return browser.send(browser.page.url.href, { person: String(person.id) })
}
