import type { ImageProxy } from '../../../previews/service/image-proxy.ts'
import type { PageChecker } from '../../../previews/service/page-check.ts'
import type { PlaygroundHistory } from '../../../previews/service/playground-history.ts'
import type { PreviewRequests } from '../../../previews/service/preview-requests.ts'
import type { SharingService } from '../../../previews/service/shared-results.ts'
import type { RouteContext } from '../route-context.ts'

/** The services of `src/previews` that the pages of the playground use. */
export interface PreviewServices {
  history: PlaygroundHistory
  imageProxy: ImageProxy
  previewRequests: PreviewRequests
  checkPage: PageChecker
  /** The ids of the apps that can be checked. */
  appIds: readonly string[]
  /** Null when sharing is turned off. */
  sharing: SharingService | null
}

export type PlaygroundContext = RouteContext & PreviewServices
