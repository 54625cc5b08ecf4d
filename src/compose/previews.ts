import type { FixedConfig } from '../config.ts'
import type { LiveSettings } from '../core/settings/live-settings.ts'
import { siteOf } from '../core/sites/sites.ts'
import type { PreviewServices } from '../http/routes/playground/playground-context.ts'
import { createImageProxy, type ImageProxyDeps } from '../previews/service/image-proxy.ts'
import { APP_IDS, createPageChecker } from '../previews/service/page-check.ts'
import { createPageFiles, type PageFilesDeps } from '../previews/service/page-files.ts'
import { createPreviewRequests } from '../previews/service/preview-requests.ts'
import { memoryRobotsCache } from '../previews/stores/robots-cache.ts'

/** The previews and checks of pages, for the server and the command line. */
export function createPreviews(
  config: Pick<FixedConfig, 'oembed'>,
  settings: () => LiveSettings,
  deps: ImageProxyDeps & Omit<PageFilesDeps, 'cache'>,
): Omit<PreviewServices, 'history' | 'sharing'> {
  const imageProxy = createImageProxy(deps)
  const previewRequests = createPreviewRequests({
    imageProxy,
    allowsOembed: ({ hostname }) => config.oembed && siteOf(hostname, settings().sites).oembed !== 'off',
    pageFiles: createPageFiles({ ...deps, cache: memoryRobotsCache(settings) }),
  })
  return { imageProxy, previewRequests, checkPage: createPageChecker(previewRequests), appIds: APP_IDS }
}
