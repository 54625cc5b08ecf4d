import type { Budget, Renderer } from '../../core/fetch/ports.ts'

export type EarlyRendering = ReturnType<typeof startRendering>

/** Starts rendering a page before its plain response arrives. Disposing it cancels the rendering. */
export function startRendering(renderer: Renderer, url: URL, budget: Budget) {
  const ending = new AbortController()
  const signal = AbortSignal.any([budget.signal, ending.signal])
  const outcome = renderer.render(url, { ...budget, signal })
  return { outcome, [Symbol.dispose]: () => ending.abort(new Error('the page need not be rendered')) }
}
