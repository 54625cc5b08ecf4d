import { methodReasonOf } from '../../../core/fetch/method-reason.ts'
import { publicCopy } from '../../../core/fetch/public-copy.ts'
import type { FetchTrace } from '../../../core/fetch/trace.ts'
import type { PlaygroundFailure, PlaygroundSuccessRecord } from '../../../previews/service/playground-record.ts'
import type { Caller } from '../../../core/fetch/ports.ts'
import type { ImageProxy } from '../../../previews/service/image-proxy.ts'
import type { PlaygroundSuccess } from '../../../../views/playground/outcome.ts'
import { linkPreviewOf } from './link-preview.ts'

export const IMAGE_PATH = '/playground/image'

export interface ResultViewer {
  /** The caller for whom images are requested. */
  caller: Caller
  /** Whether the viewer may see private addresses. */
  isOperator?: boolean
  /** The token of a shared result; its images are shown as long as its link works. */
  sharedToken?: string
}

/** Converts results of the playground into the properties of their pages. */
export function createResultPages({ imageProxy }: { imageProxy: ImageProxy }) {
  const shownTo = <T extends object>({ isOperator = false }: ResultViewer, found: T, trace?: FetchTrace | null) =>
    isOperator ? found : publicCopy(found, trace)

  /**
   * @param result the id of the result that shows the image, so that browsers do not use the cached image of another
   * result
   */
  function imagePath({ caller, sharedToken }: ResultViewer, result: string, image: string): string {
    const { url, expiresAtMs, signature } = imageProxy.link(caller, image)
    const link = { url, expires: String(expiresAtMs), signature, version: result.slice(0, 8) }
    return `${IMAGE_PATH}?${new URLSearchParams(sharedToken ? { ...link, shared: sharedToken } : link)}`
  }

  function success(viewer: ResultViewer, id: string, record: PlaygroundSuccessRecord): PlaygroundSuccess {
    const outcome = shownTo(viewer, record, record.details?.trace)
    const { url, result, cached: isCached, details } = outcome
    const { image, favicon } = result
    const pathOf = (of: string) => imagePath(viewer, id, of)
    return {
      kind: 'success',
      id,
      response: { url, ...result },
      isCached,
      images: { ...(image && { image: pathOf(image) }), ...(favicon && { favicon: pathOf(favicon) }) },
      preview: linkPreviewOf(outcome, pathOf),
      explanation: details && { ...details, methodReason: methodReasonOf(details.trace, result.fetch_method) },
    }
  }

  return {
    success,

    /** @param id the id of the stored result */
    outcome(viewer: ResultViewer, id: string, outcome: PlaygroundSuccessRecord | PlaygroundFailure) {
      if (outcome.kind === 'success') return success(viewer, id, outcome)
      return shownTo(viewer, outcome, outcome.trace)
    },
  }
}
