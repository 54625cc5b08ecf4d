import type { EgressProxy } from '../net/egress-proxy.ts'

/** How to request and read the pages of some hosts. All fields except `hosts` are optional. */
export interface SiteRule {
  /** Host names: `example.com` is that name alone, `*.example.com` every name below it. */
  hosts: readonly string[]
  /** Sent instead of the default User-Agent. */
  userAgent?: string
  /** The value of Accept-Language, unless the caller asks for another one. */
  language?: string
  /** Sent with each request to these hosts over https, and to no other host. Secret. */
  headers?: Readonly<Record<string, string>>
  /** Cookies by name, sent like `headers`. Secret. */
  cookies?: Readonly<Record<string, string>>
  /** Whether the headers and cookies of this rule are also sent over plain HTTP. */
  insecure?: boolean
  walls?: SiteWalls
  /** The site's oEmbed endpoint, or `off` for none. */
  oembed?: string
  /** Whether pages are rendered in Chromium, regardless of their content. */
  render?: 'always' | 'never'
  /** How far pages are read: to the end of the head if it has an og:title, or to their end. */
  read?: 'head' | 'whole'
  /** The proxy that requests to these hosts go through; `direct` for none. */
  egressProxy?: EgressProxy | 'direct'
}

/** How a site's walls are recognized, beyond the rules for all sites. */
export interface SiteWalls {
  /**
   * Titles that only the home page should have, such as the name of the site; case does not matter. Any other page with
   * such a title is taken for a login page or an empty page.
   */
  titles?: readonly string[]
  /** Titles of the site's challenge pages; case does not matter. */
  challengeTitles?: readonly string[]
  /** HTTP statuses with which the site refuses bots. */
  challengeStatuses?: readonly number[]
  /** Paths of the pages to which the site redirects bots, or consecutive segments of these paths. */
  challengePaths?: readonly string[]
}

/** A rule of the built-in table, and the public reports that it is based on. */
export interface BuiltInSite extends Pick<Site, 'walls' | 'userAgent' | 'consentCookies' | 'targetLinkMarker'> {
  hosts: readonly string[]
  /** Issues as `owner/repository#number`, and files, such as the data of the package is-antibot, as `owner/repository/path`. */
  sources: readonly string[]
}

/** The combined rules for one host, without secrets. The fields below only occur in the built-in table. */
export interface Site extends Omit<SiteRule, 'hosts' | 'headers' | 'cookies' | 'insecure'> {
  /**
   * Cookies of a visitor who has answered the site's consent page, by name, so that the site sends the page itself. Only
   * sent over https. These cookies replace cookies that the site sets, which would state that no choice was made yet.
   */
  consentCookies?: Readonly<Record<string, string>>
  /** For link shorteners that send a page instead of a redirect: text in the start tag of the link to the target. */
  targetLinkMarker?: string
}
