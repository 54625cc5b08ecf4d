import { asciiBytes } from './ascii.ts'
import { BREAKOUT_TAGS, MATH_INTEGRATION_POINTS, SVG_INTEGRATION_POINTS } from './html-names.ts'
import { equalsIgnoringCase } from './range.ts'
import type { Tokenizer } from './tokenizer.ts'

const HTML_TYPES = ['text/html', 'application/xhtml+xml'].map(asciiBytes)

type Namespace = 'html' | 'svg' | 'math'

/** An open element that changes the parsing rules: svg, math, or an integration point, whose content is HTML again. */
interface OpenElement {
  tag: string
  namespace: Namespace
}

/**
 * Tracks whether the parser is inside svg or math. There, title and link elements are not the page's, and script, style
 * and title contain markup instead of raw text. Only the elements that change the rules are kept, not the whole tree.
 * Source: https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
 */
export class ForeignContent {
  readonly #entered: OpenElement[] = []
  /** The namespace of the innermost open element, stored because it is read at every tag. */
  #namespace: Namespace = 'html'

  /** The number of open elements that change the parsing rules. */
  get depth(): number {
    return this.#entered.length
  }

  /** Whether the parser is in svg or math. */
  get isForeign(): boolean {
    return this.#namespace !== 'html'
  }

  /** Processes the last start tag; returns whether it is an HTML element. */
  open(tokenizer: Tokenizer): boolean {
    const { tag } = tokenizer
    if (this.isForeign && breaksOut(tokenizer)) this.#breakOut()
    const namespace = this.#namespace
    if (namespace === 'html') {
      if (tag !== 'svg' && tag !== 'math') return true
      if (!tokenizer.selfClosing) this.#enter(tag, tag)
    } else if (!tokenizer.selfClosing) {
      if (tag === namespace) this.#enter(tag, namespace)
      else if (isIntegrationPoint(namespace, tokenizer)) this.#enter(tag, 'html')
    }
    return false
  }

  close(tag: string): void {
    const { depth } = this
    if (depth === 0) return
    if (this.#entered.at(-1)?.tag === tag) this.leaveTo(depth - 1)
    // An unclosed integration point ends with the svg or math around it.
    else if (this.#entered.at(-2)?.tag === tag) this.leaveTo(depth - 2)
    // No foreign element has such a name, so this end tag closes an HTML element around svg or math, and ends the svg
    // or math too.
    else if (BREAKOUT_TAGS.has(tag) && tag !== 'head' && tag !== 'body') this.#breakOut()
  }

  /** Closes the elements that were opened since `depth`. */
  leaveTo(depth: number): void {
    if (this.depth <= depth) return
    this.#entered.length = depth
    this.#namespace = this.#entered.at(-1)?.namespace ?? 'html'
  }

  #enter(tag: string, namespace: Namespace): void {
    this.#entered.push({ tag, namespace })
    this.#namespace = namespace
  }

  #breakOut(): void {
    while (this.isForeign) this.leaveTo(this.depth - 1)
  }
}

function breaksOut(tokenizer: Tokenizer): boolean {
  if (BREAKOUT_TAGS.has(tokenizer.tag)) return true
  return tokenizer.tag === 'font' && (tokenizer.has('color') || tokenizer.has('face') || tokenizer.has('size'))
}

function isIntegrationPoint(namespace: Namespace, tokenizer: Tokenizer): boolean {
  const { tag, bytes } = tokenizer
  if (namespace === 'svg') return SVG_INTEGRATION_POINTS.has(tag)
  if (tag !== 'annotation-xml') return MATH_INTEGRATION_POINTS.has(tag)
  const encoding = tokenizer.attribute('encoding')
  return encoding !== null && HTML_TYPES.some((type) => equalsIgnoringCase(bytes, encoding, type))
}
