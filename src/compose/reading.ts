import type { FixedConfig } from '../config.ts'
import type { LiveSettings } from '../core/settings/live-settings.ts'
import { createFileFetcher } from '../fetch/files.ts'
import { createImageFetcher } from '../fetch/images.ts'
import { createCachedReader } from '../service/lookup/cached-reader.ts'
import { followDeletedPages } from '../service/lookup/deleted-pages.ts'
import { networkOptions } from './page-settings.ts'
import { openServerReader, type ServerReaderOptions } from './server-reader.ts'
import type { Storage } from './storage.ts'
import { systemDeps } from './system-deps.ts'
import { owning } from './owning.ts'

/**
 * Opens all parts that send requests to sites: the reader of pages with its cache, and the fetchers of images and
 * files.
 */
export async function openReading(
  config: FixedConfig,
  settings: () => LiveSettings,
  storage: Storage,
  options: ServerReaderOptions,
) {
  await using stack = new AsyncDisposableStack()
  const { log, ownPorts } = options
  const network = networkOptions(config, settings, ownPorts)
  const reader = stack.use(await openServerReader(config, settings, options))
  const cachedReader = createCachedReader({
    ...storage,
    ...systemDeps,
    settings,
    read: reader.read,
    ttlMs: config.cache.ttlMs,
    wait: Bun.sleep,
    onReadFault: (err) => log.error({ err }, 'reading the cache failed; fetching the page'),
    onStoreFault: (err) => log.error({ err }, 'storing the result failed'),
  })
  const { deletePage } = cachedReader
  const onError = (err: unknown) => log.error({ err }, 'following deletions of the cache failed; will retry')
  stack.use(followDeletedPages({ ...storage, deletePage, onError }))
  const images = stack.use(createImageFetcher(network))
  const files = stack.use(createFileFetcher(network))
  return owning(stack, { network, reader, cachedReader, images, files })
}
