import type { EgressProxy } from './egress-proxy.ts'

/** What is special about some sites. Everything but `hosts` is optional. */
export interface SiteRule {
  /** Host names: `example.com` is that name alone, `*.example.com` every name below it. */
  hosts: readonly string[]
  /** Sent instead of the usual User-Agent. */
  userAgent?: string
  /** Sent with each request to these hosts, and to no other host. Secret. */
  headers?: Readonly<Record<string, string>>
  /** Cookies by name, sent in the same way. Secret. */
  cookies?: Readonly<Record<string, string>>
  walls?: SiteWalls
  /** The site's oEmbed endpoint, or `off` to ask none. */
  oembed?: string
  /** Whether pages are rendered in Chromium, whatever they look like. */
  render?: 'always' | 'never'
  /** How far pages are read: to the end of the head if it has an og:title, or to their end. */
  read?: 'head' | 'whole'
  /** The proxy that requests to these hosts go through; `direct` for none. */
  egressProxy?: EgressProxy | 'direct'
}

/** How a site's walls are recognised, beyond the rules for all sites. */
export interface SiteWalls {
  /**
   * Titles of the site itself, in any case. On a page other than the home page they mean that the site sent its login
   * page or its shell.
   */
  titles?: readonly string[]
  /** Titles of its challenges. */
  challengeTitles?: readonly string[]
  /** Statuses with which it refuses clients that it takes for bots. */
  challengeStatuses?: readonly number[]
  /** Parts of the paths that it redirects such clients to, in whole segments. */
  challengePaths?: readonly string[]
}

/** A rule of the built-in table, with the public reports that it was made from. */
export interface BuiltInSite {
  rule: Omit<SiteRule, 'headers' | 'cookies' | 'egressProxy'> & Pick<Site, 'exitLinkMark'>
  /** As `owner/repository#number`, or `owner/repository/path`. */
  sources: readonly string[]
}

/** The rules for one host, combined: what `hosts` says is known. */
export interface Site extends Omit<SiteRule, 'hosts'> {
  /** For link shorteners: a text in the start tag of the link to the target, on a page that comes in place of a redirect. */
  exitLinkMark?: string
}
