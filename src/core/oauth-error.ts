/** The codes of RFC 6749, OpenID Connect and GitHub are words like `invalid_grant`; the longest have some 40 letters. */
const ERROR_CODE = /^[a-z_]{1,64}$/

/** What an OAuth `error` may say in the log; null for anything but a code, since other text can hold secrets. */
export function oauthErrorCode(error: unknown): string | null {
  return typeof error === 'string' && ERROR_CODE.test(error) ? error : null
}
