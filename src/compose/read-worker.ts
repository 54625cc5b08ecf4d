// The entry point of workers that read pages.
import { getPriority, setPriority } from 'node:os'

import { serveJobs } from '../fetch/pool/worker-end.ts'
import { pageTexts } from '../service/lookup/page-texts.ts'
import { type PageSettings, receivedSettings } from './page-settings.ts'
import { openReaders } from './readers.ts'

declare const self: Worker

/** Added to the nice value of a worker, which is its own only on Linux, so that pages do not delay the main thread. */
const NICE = 5
if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICE, 19))

serveJobs<PageSettings>(self, (sent, main) => {
  const settings = receivedSettings(sent)
  const readers = openReaders(settings, main)
  return {
    async read({ url, budget, trace, listsTags, ...browser }) {
      return pageTexts(await readers.readerWith(browser).read(url, budget, trace), listsTags)
    },
    configure(changed) {
      const { allowPrivateHosts, sites } = receivedSettings(changed)
      settings.allowPrivateHosts.splice(0, Infinity, ...allowPrivateHosts)
      settings.sites.splice(0, Infinity, ...sites)
    },
  }
})
