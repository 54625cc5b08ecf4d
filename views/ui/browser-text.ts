import signs from './user-agents.json'

/**
 * Names by the expressions of their words in a User-Agent. The first match wins: User-Agents also name other browsers.
 */
const compiled = (expressions: Readonly<Record<string, string>>) =>
  Object.entries(expressions).map(([name, expression]) => ({ name, sign: new RegExp(`\\b${expression}`) }))

const BROWSERS = compiled(signs.browsers)
const SYSTEMS = compiled(signs.systems)

/** A short browser name, such as `Firefox on Linux`. */
export function browserText(userAgent: string): string {
  const browser = BROWSERS.find(({ sign }) => sign.test(userAgent))?.name ?? 'Unknown browser'
  const system = SYSTEMS.find(({ sign }) => sign.test(userAgent))?.name
  return system === undefined ? browser : `${browser} on ${system}`
}
