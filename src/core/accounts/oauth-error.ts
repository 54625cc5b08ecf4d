/** The codes of RFC 6749, OpenID Connect and GitHub look like `invalid_grant` and have up to about 40 letters. */
const ERROR_CODE = /^[a-z_]{1,64}$/

/** An OAuth `error` that is safe to log; null for anything but a code, because other text can contain secrets. */
export function oauthErrorCode(error: unknown): string | null {
  return typeof error === 'string' && ERROR_CODE.test(error) ? error : null
}
