/**
 * `urlmeta_session`: the session. `urlmeta_attempt`: a pending sign-in. `urlmeta_notice`: the notice for the next page.
 * `urlmeta_draft`: a form that was submitted after the session had ended.
 */
export type CookieName = 'urlmeta_session' | 'urlmeta_attempt' | 'urlmeta_notice' | 'urlmeta_draft'

export type Cookies = ReturnType<typeof createCookies>

/**
 * HttpOnly, SameSite=Lax cookies. On https they have the `__Host-` prefix, so that browsers accept them only from this
 * host; the prefix is not available on plain http.
 */
export function createCookies(isSecure: () => boolean) {
  const fullName = (name: CookieName) => (isSecure() ? `__Host-${name}` : name)
  const set = (name: CookieName, value: string, maxAgeMs: number) =>
    new Bun.Cookie(fullName(name), value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(),
      maxAge: Math.floor(maxAgeMs / 1_000),
    }).serialize()

  return {
    read: (request: Request, name: CookieName) =>
      new Bun.CookieMap(request.headers.get('cookie') ?? '').get(fullName(name)) || null,
    /** A `Set-Cookie` header. */
    set,
    /** A `Set-Cookie` header that deletes the cookie. */
    clear: (name: CookieName) => set(name, '', 0),
  }
}
