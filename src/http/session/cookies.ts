/**
 * `urlmeta_session`: the session. `urlmeta_attempt`: a pending sign-in. `urlmeta_notice`: the notice for the next page.
 */
export type CookieName = 'urlmeta_session' | 'urlmeta_attempt' | 'urlmeta_notice'

export interface Cookies {
  read(request: Request, name: CookieName): string | null
  /** A `Set-Cookie` header. */
  set(name: CookieName, value: string, maxAgeMs: number): string
  /** A `Set-Cookie` header that deletes the cookie. */
  clear(name: CookieName): string
}

/**
 * HttpOnly, SameSite=Lax cookies. On https they have the `__Host-` prefix, so that browsers accept them only from this
 * host; the prefix is not available on plain http.
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
