import type { Budget, Renderer, RenderOutcome } from '../../core/fetch/ports.ts'

/** Rendering that started before the plain response arrived. Disposing it cancels the rendering. */
export interface EarlyRendering extends Disposable {
  readonly outcome: Promise<RenderOutcome>
}

/** Starts rendering a page. */
export function startRendering(renderer: Renderer, url: URL, budget: Budget): EarlyRendering {
  const ending = new AbortController()
  const signal = AbortSignal.any([budget.signal, ending.signal])
  const outcome = renderer.render(url, { ...budget, signal })
  return { outcome, [Symbol.dispose]: () => ending.abort(new Error('the page need not be rendered')) }
}
