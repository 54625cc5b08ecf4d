import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'

import { asciiLowerCase } from '../core/ascii-case.ts'
import { maskedBrowserUrl, type RemoteChromium } from '../core/net/remote-chromium.ts'
import type { EnvReader } from './env-reader.ts'
import { expected, parsedBy, path, secretBy, type Parse } from './parse.ts'

type LocalChoice = { mode: 'auto' } | { mode: 'off' } | { mode: 'path'; path: string }

/** Which Chromium to use: one found by a search, none, the one at a path, or one on another machine. */
type ChromiumChoice = LocalChoice | ({ mode: 'remote' } & RemoteChromium)

type Value = LocalChoice | { mode: 'remote'; url: string }

const URL_START = /^[a-z]+:\/\//i

const DESCRIPTION = 'auto, off, a path such as /usr/bin/chromium, or a ws(s):// or http(s):// URL'

/** Other bare words are rejected, so that `none` or `false` is not used as a file name. */
const chromium: Parse<Value> = (text) => {
  const word = asciiLowerCase(text)
  if (word === 'auto') return { value: { mode: 'auto' } }
  if (word === 'off') return { value: { mode: 'off' } }
  if (URL_START.test(word)) return remoteUrl(text)
  if (!isAbsolute(text) && !/[/\\]/.test(text)) return expected(DESCRIPTION, text)
  const file = path(text)
  return 'error' in file ? file : { value: { mode: 'path', path: file.value } }
}

/** The value may contain a token. */
const remoteUrl = secretBy((text): Value | null => {
  const url = URL.parse(text)
  const isUrl = url !== null && /^(wss?|https?):$/.test(url.protocol) && !url.username && !url.password && !url.hash
  return isUrl ? { mode: 'remote', url: url.href } : null
}, `${DESCRIPTION} without user and password`)

/** A path is shown unchanged. Of a URL only the origin is shown, because browser pools use a token in the query. */
const masked = (text: string) => (URL_START.test(text) ? maskedBrowserUrl(text) : text)

/** `host:port`; IPv6 in brackets. */
const hostAndPort = parsedBy((text): RemoteChromium['listen'] | null => {
  const port = Number(/:(\d{1,5})$/.exec(text)?.[1] ?? 0)
  const url = URL.parse(`http://${text}`)
  const isPlain = url !== null && !url.username && !url.password && url.pathname + url.search + url.hash === '/'
  const isValid = isPlain && !text.endsWith('/') && port > 0 && port <= 65_535
  return isValid ? { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port } : null
}, 'host:port')

const NAMES = { chromium: 'URLMETA_CHROMIUM', proxy: 'URLMETA_CHROMIUM_PROXY', listen: 'URLMETA_CHROMIUM_PROXY_LISTEN' }

/** All interfaces, for a proxy whose address is a host name. */
const ANY_HOST = '0.0.0.0'

export function readChromium(read: EnvReader): ChromiumChoice {
  const choice = read.required(NAMES.chromium, chromium, 'auto', masked)
  const proxy = read.optional(NAMES.proxy, hostAndPort)
  const listen = read.optional(NAMES.listen, hostAndPort)
  if (choice.mode !== 'remote') {
    for (const name of [NAMES.proxy, NAMES.listen]) {
      if (read.has(name)) read.addError(name, `has no effect unless ${NAMES.chromium} is a URL`)
    }
    return choice
  }
  if (!read.has(NAMES.proxy)) read.addError(NAMES.proxy, `missing, because ${NAMES.chromium} is a URL`)
  if (proxy === null) return { mode: 'off' }
  const { host, port } = proxy
  return {
    ...choice,
    proxy: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    listen: listen ?? { host: isIP(host) > 0 ? host : ANY_HOST, port },
  }
}
