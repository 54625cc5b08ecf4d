// The entry point of workers that read pages.
import { getPriority, setPriority } from 'node:os'

import { serveJobs } from '../fetch/pool/worker-end.ts'
import { tagsOfPage } from '../previews/tags/list-page-tags.ts'
import { pageTexts } from '../service/lookup/page-texts.ts'
import { collectWhenIdle } from './idle-memory.ts'
import type { PageSettings } from './page-settings.ts'
import { openReaders } from './readers.ts'

declare const self: Worker

/**
 * Added to the nice value of a worker, so that pages do not delay the main thread. Only on Linux does a thread have its
 * own nice value.
 */
const NICE = 5
if (process.platform === 'linux') setPriority(Math.min(getPriority() + NICE, 19))

serveJobs<PageSettings>(self, ({ live, ...config }, main) => {
  let settings = live
  let reading = 0
  const idleMemory = collectWhenIdle({ isIdle: () => reading === 0 })
  const readers = openReaders(config, () => settings, main)
  return {
    async read({ url, budget, trace, listsTags, ...browser }) {
      reading++
      try {
        return pageTexts(await readers.readerWith(browser).read(url, budget, trace), listsTags ? tagsOfPage : null)
      } finally {
        reading--
        idleMemory.noteEnd()
      }
    },
    configure(changed) {
      settings = changed.live
    },
  }
})
