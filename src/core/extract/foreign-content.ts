import { BREAKOUT_TAGS, MATH_INTEGRATION_POINTS, SVG_INTEGRATION_POINTS } from './names.ts'

type Namespace = 'html' | 'svg' | 'math'

/** An element that changed the rules: svg, math, or an integration point, inside which HTML's hold again. */
interface Entered {
  tag: string
  namespace: Namespace
}

/** What is asked of a start tag that svg or math meets. */
export interface ForeignTag {
  tag: string
  selfClosing: boolean
  /** A font tag with color, face or size leaves foreign content; another font tag does not. */
  isStyledFont: boolean
  /** annotation-xml whose encoding says its content is HTML. */
  isHtmlAnnotation: boolean
}

/**
 * Follows which elements are svg's or MathML's. There a title is no page title, a link is no link, and script, style and
 * title hold markup instead of raw text. Only the elements that change the rules are kept, not the whole tree.
 * Source: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
 */
export class ForeignContent {
  readonly #stack: Entered[] = []

  get depth(): number {
    return this.#stack.length
  }

  /** Whether the open element is not HTML's. */
  get isForeign(): boolean {
    return this.#namespace !== 'html'
  }

  get #namespace(): Namespace {
    return this.#stack.at(-1)?.namespace ?? 'html'
  }

  /** Leaves what was entered since `depth`. */
  leaveTo(depth: number): void {
    if (this.#stack.length > depth) this.#stack.length = depth
  }

  /** Takes note of a start tag. True when it is an HTML element. */
  open(start: ForeignTag): boolean {
    const { tag, selfClosing } = start
    if (this.isForeign && (BREAKOUT_TAGS.has(tag) || start.isStyledFont)) this.#breakOut()
    const namespace = this.#namespace
    if (namespace === 'html' && tag !== 'svg' && tag !== 'math') return true
    if (selfClosing) return false
    if (namespace === 'html') this.#stack.push({ tag, namespace: tag as Namespace })
    else if (tag === namespace) this.#stack.push({ tag, namespace })
    else if (isIntegrationPoint(namespace, start)) this.#stack.push({ tag, namespace: 'html' })
    return false
  }

  /** Takes note of an end tag. */
  close(tag: string): void {
    if (this.#stack.at(-1)?.tag === tag) this.#stack.pop()
    // Such a tag cannot be foreign, so an HTML element around svg ends, and svg with it.
    else if (BREAKOUT_TAGS.has(tag) && tag !== 'head' && tag !== 'body') this.#breakOut()
  }

  #breakOut(): void {
    while (this.isForeign) this.#stack.pop()
  }
}

function isIntegrationPoint(namespace: Namespace, { tag, isHtmlAnnotation }: ForeignTag): boolean {
  if (namespace === 'svg') return SVG_INTEGRATION_POINTS.has(tag)
  return MATH_INTEGRATION_POINTS.has(tag) || isHtmlAnnotation
}
