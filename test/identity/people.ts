/** A person at an identity provider. */
export interface Person {
  /** The provider's own id. */
  id: number
  login: string
  name: string
  email: string
  isVerified: boolean
}

export const JO: Person = { id: 17, login: 'jo', name: 'Jo Doe', email: 'jo@example.com', isVerified: true }
export const ANN: Person = { id: 18, login: 'ann', name: 'Ann Lee', email: 'ann@example.com', isVerified: true }
/** Has Jo's address, unverified. */
export const EVE: Person = { id: 19, login: 'eve', name: 'Eve', email: 'jo@example.com', isVerified: false }
export const OPERATOR: Person = { id: 20, login: 'op', name: 'Op', email: 'op@example.com', isVerified: true }
export const SCRIPTED: Person = {
  id: 21,
  login: '"><script>x()</script>',
  name: '<script>x()</script><img src=x onerror=x()>',
  email: 'scripted@example.com',
  isVerified: true,
}

/** Has taken over Jo's address. */
export const SUCCESSOR: Person = { id: 22, login: 'jo2', name: 'Jo Two', email: 'jo@example.com', isVerified: true }
/** Has taken over the operator's address. */
export const NEW_OPERATOR: Person = { id: 23, login: 'op2', name: 'Op', email: 'op@example.com', isVerified: true }
export const LENGTHY: Person = {
  id: 24,
  login: 'l'.repeat(1_000),
  name: '😀'.repeat(1_000),
  email: 'lengthy@example.com',
  isVerified: true,
}

export const PEOPLE: readonly Person[] = [JO, ANN, EVE, OPERATOR, SCRIPTED, SUCCESSOR, NEW_OPERATOR, LENGTHY]

export const CLIENT = { id: 'urlmeta-test', secret: 'a-client-secret-of-the-tests' } as const

/** The variables for sign-in by these providers, which know `CLIENT`. */
export function signInEnv(github: { url: string }, google: { issuer: string }): Record<string, string> {
  return {
    URLMETA_GITHUB_CLIENT_ID: CLIENT.id,
    URLMETA_GITHUB_CLIENT_SECRET: CLIENT.secret,
    URLMETA_GITHUB_URL: github.url,
    URLMETA_GOOGLE_CLIENT_ID: CLIENT.id,
    URLMETA_GOOGLE_CLIENT_SECRET: CLIENT.secret,
    URLMETA_GOOGLE_ISSUER: google.issuer,
  }
}

/** The provider's page for choosing a person; `more` are hidden fields of its form. */
export function accountChooserPage(action: string, more: Record<string, string> = {}): string {
  const hidden = Object.entries(more).map(([name, value]) => `<input type=hidden name="${name}" value="${value}">`)
  const buttons = PEOPLE.map(({ id }) => `<button name=person value=${id}>Person ${id}</button>`)
  return `<!doctype html><title>Who are you?</title><form method=post action="${action}">${hidden.join('')}${buttons.join('')}</form>`
}
