import { oidcProvider } from './oidc.ts'
import type { BuiltInProvider } from './built-in-provider.ts'

const GOOGLE = 'https://accounts.google.com'

/** https://developers.google.com/identity/openid-connect/openid-connect */
export const google: BuiltInProvider = {
  name: 'google',
  urlSetting: { variable: 'ISSUER', format: 'issuer', defaultUrl: GOOGLE },
  create: (settings, now) =>
    oidcProvider({ ...settings, label: settings.url === GOOGLE ? 'Google' : new URL(settings.url).host }, now),
}
