// An entry point of workers that exit at the step of a page that its path names, after the page of another host was read.
import type { Fetcher } from '../../../src/core/fetch/ports.ts'
import { serveJobs } from '../../../src/fetch/pool/worker-end.ts'
import { createExtractor } from '../../../src/service/lookup/extractor.ts'
import { createReader } from '../../../src/service/lookup/reader.ts'
import { settingsOf } from '../../settings.ts'

declare const self: Worker

const SHELL = new TextEncoder().encode('<title>Shell</title><body><div id="root"></div><script src="/app.js"></script>')
const ARTICLE = new TextEncoder().encode('<title>Article</title>')

const other = Promise.withResolvers<void>()

serveJobs(self, () => ({
  async read({ url, budget, trace, renderer, history }) {
    const { pathname } = url
    const fetcher: Fetcher = {
      async fetch() {
        if (pathname === '/extract') await other.promise
        const bytes = pathname === '/extract-rendered' ? SHELL : ARTICLE
        const charset = { encoding: 'utf-8', from: 'fallback' } as const
        return { url, status: 200, kind: 'html', defense: null, bytes, charset, trace, [Symbol.dispose]() {} }
      },
      async hasIcon() {
        if (pathname === '/describe') await other.promise
        return null
      },
      oembed: () => Promise.reject(new Error('not called')),
    }
    const extractor = createExtractor(Date.now)
    const reader = createReader({
      fetcher,
      renderer,
      history,
      extractor: {
        ...extractor,
        of(page) {
          const step = page.bytes.length === 0 ? '/extract-rendered' : '/extract'
          if (step === pathname) process.exit(1)
          return extractor.of(page)
        },
      },
      oembed: null,
      settings: settingsOf(),
      now: Date.now,
    })
    await reader.read(url, budget, trace)
    if (pathname === '/describe') process.exit(1)
    other.resolve()
    return { json: '{}', details: undefined, isProvisional: false }
  },
  configure() {},
}))
