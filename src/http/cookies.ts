/** `urlmeta_session`: who is signed in. `urlmeta_attempt`: a sign-in under way. `urlmeta_notice`: what a form has done. */
export type CookieName = 'urlmeta_session' | 'urlmeta_attempt' | 'urlmeta_notice'

export interface Cookies {
  read(request: Request, name: CookieName): string | null
  /** A `Set-Cookie` header. */
  set(name: CookieName, value: string, maxAgeMs: number): string
  /** A `Set-Cookie` header that makes the browser forget the cookie. */
  clear(name: CookieName): string
}

/**
 * Cookies that scripts cannot read and other sites' forms do not bring along. On https they have the prefix `__Host-`,
 * with which browsers take them from this very host alone; plain http, as on a developer's machine, has no such thing.
 */
export function createCookies(isSecure: () => boolean): Cookies {
  const fullName = (name: CookieName) => (isSecure() ? `__Host-${name}` : name)
  const set: Cookies['set'] = (name, value, maxAgeMs) =>
    new Bun.Cookie(fullName(name), value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(),
      maxAge: Math.floor(maxAgeMs / 1_000),
    }).serialize()

  return {
    read: (request, name) => new Bun.CookieMap(request.headers.get('cookie') ?? '').get(fullName(name)) || null,
    set,
    clear: (name) => set(name, '', 0),
  }
}
