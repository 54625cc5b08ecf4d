import { markedEncoding } from '../reading/charset.ts'
import { SEMICOLON } from '../reading/ascii.ts'
import { Checkpoints } from './checkpoints.ts'
import { BodyStatsCounter } from '../reading/body-stats.ts'
import { ForeignContent } from '../reading/foreign-content.ts'
import { Harvest } from './harvest.ts'
import { RAW_TEXT_TAGS, SCRIPT_TYPES } from '../reading/html-names.ts'
import { isBlank, type Range, trimRange } from '../reading/range.ts'
import { Tokenizer } from '../reading/tokenizer.ts'

const NO_BYTES = new Uint8Array()

/** The length of UTF-8's byte-order mark, which is not part of the text. */
const BYTE_ORDER_MARK_BYTES = 3

/** A script, style, title … whose content may not have arrived yet. */
interface RawTextElement {
  tag: string
  scriptType: string | undefined
  source: Range | null
}

/**
 * One pass over a page, which may arrive in parts, that keeps the elements with metadata and measures its body. When the
 * head has an og:title, the pass stops as soon as enough was read. The result does not depend on the parts.
 *
 * It implements the rules of tree construction that decide whether a tag counts: tags in a template, in svg or MathML, or
 * in raw text do not count. All other tags count wherever they are, as in a browser, which moves them to head or body.
 */
export class Sieve {
  readonly #tokenizer = new Tokenizer(NO_BYTES, false)
  readonly #foreign = new ForeignContent()
  /** For each open template, whose content is not part of the page, the depth of foreign content at its start. */
  readonly #templates: number[] = []
  readonly #harvest: Harvest
  readonly #stats = new BodyStatsCounter()
  #rawText: RawTextElement | null = null
  /** Whether the next token is the end tag of a raw text element. */
  #skipsEndTag = false
  readonly #checkpoints = new Checkpoints()
  /** Whether the page is XML, in which `<script/>` is a whole element and CDATA sections are text. Set before reading. */
  isXml = false
  #hasRoot = false
  /** Whether the end tag of the head, or the start tag of the body, was read. */
  hasHeadEnded = false
  /** Whether `</html>` was read. More may follow it, which browsers read too. */
  hasDocumentEnded = false
  /** Whether enough was read: the rest of the page is not needed. */
  isDone = false

  /**
   * @param isEnough whether enough of a page whose head has an og:title was read; called at the checkpoints
   * @param harvest receives the elements; by default, it keeps the elements that fields use
   */
  constructor(
    readonly isEnough: (harvest: Harvest) => boolean,
    harvest: Harvest = new Harvest(),
  ) {
    this.#harvest = harvest
  }

  /** The number of bytes read, at most the limit plus one, so that a copy of this length also exceeds the limit. */
  get bytesRead(): number {
    return Math.min(this.#tokenizer.end, this.#checkpoints.limit + 1)
  }

  /**
   * Continues where the last call stopped.
   * @param bytes all bytes so far, in an ASCII-compatible encoding
   * @param isWhole whether these are all bytes of the page
   */
  read(bytes: Uint8Array, isWhole: boolean): void {
    if (this.isDone) return
    const checkpoints = this.#checkpoints
    if (this.#tokenizer.end === 0 && markedEncoding(bytes) === 'utf-8') this.#tokenizer.end = BYTE_ORDER_MARK_BYTES
    this.#readTokens(bytes, isWhole)
    if (this.isDone) return
    if (bytes.length > checkpoints.limit) {
      // An incomplete element ends beyond the limit.
      if (!isWhole) this.#readTokens(bytes, true)
      this.#stopAt(checkpoints.limit)
    } else if (isWhole) this.#harvest.end = bytes.length
  }

  #readTokens(bytes: Uint8Array, isWhole: boolean): void {
    const tokenizer = this.#tokenizer
    const harvest = this.#harvest
    const checkpoints = this.#checkpoints
    tokenizer.grow(bytes, isWhole)
    if (this.#rawText !== null && !this.#readRawText(this.#rawText)) return
    for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
      if (tokenizer.end > checkpoints.limit) return this.#stopAt(checkpoints.limit)
      const inHead = !this.hasHeadEnded
      // The end tag of a noscript may have ended a frame inside the noscript.
      const isSkipped = this.#skipsEndTag && tokenizer.tag !== 'noscript'
      this.#skipsEndTag = false
      if (token === 'start') {
        this.#open()
        if (this.isXml && tokenizer.selfClosing && !this.#foreign.isForeign) this.#close()
      } else if (token === 'end' && !isSkipped) this.#close()
      else if (token === 'text' && this.#countsText) {
        this.#stats.text(bytes, tokenizer)
        if (this.#stats.hasEnoughText) tokenizer.skipsText = true
      }
      if (this.#rawText !== null && !this.#readRawText(this.#rawText)) return
      if (inHead && this.hasHeadEnded && harvest.hasOpenGraphTitle) {
        checkpoints.completeHead(tokenizer.end)
        tokenizer.skipsText = true
      }
      if (!this.#skipsEndTag && checkpoints.isDue(tokenizer.end, harvest)) {
        harvest.end = tokenizer.end
        if (this.isEnough(harvest)) return this.#stopAt(tokenizer.end)
      }
      tokenizer.inForeignContent = this.isXml || this.#foreign.isForeign
    }
  }

  /** Whether the page is usable although its end has not arrived. */
  get isComplete(): boolean {
    return this.hasDocumentEnded || (this.#checkpoints.isHeadComplete && this.isEnough(this.#harvest))
  }

  #stopAt(end: number): void {
    this.#harvest.end = end
    this.isDone = true
  }

  /** If `hasCompleteHead`, the head has an og:title: the page is not an empty shell, and `body` covers only the head. */
  result() {
    return { harvest: this.#harvest, body: this.#stats.stats(), hasCompleteHead: this.#checkpoints.isHeadComplete }
  }

  /** Text is not counted when the head has an og:title, because the count is not needed then. */
  get #countsText(): boolean {
    return !this.#checkpoints.isHeadComplete && !this.#isInert && !this.#foreign.isForeign
  }

  get #isInert(): boolean {
    return this.#templates.length > 0
  }

  #open(): void {
    const tokenizer = this.#tokenizer
    if (this.isXml && !this.#hasRoot) {
      this.#hasRoot = true
      tokenizer.readPrefixOf('html')
    }
    const { tag } = tokenizer
    if (!this.#isInert) this.#harvest.microdata.open(tokenizer)
    if (tag === '' || !this.#foreign.open(tokenizer)) return
    if (RAW_TEXT_TAGS.has(tag)) {
      if (this.isXml && tokenizer.selfClosing) return
      const scriptType = tag === 'script' && !this.#isInert ? this.#scriptType() : undefined
      this.#rawText = { tag, scriptType, source: tokenizer.attribute('src') }
    } else if (tag === 'template') this.#templates.push(this.#foreign.depth)
    else if (!this.#isInert) {
      this.#harvest.element(tokenizer, this.#stats.isInNoscript)
      if (this.#countsText || tag === 'noscript') this.#stats.open(tokenizer)
      if (tag === 'body') this.hasHeadEnded = true
    }
  }

  #close(): void {
    const { tag } = this.#tokenizer
    if (!this.#isInert) this.#harvest.microdata.close(this.#tokenizer)
    if (tag === '') return
    if (tag === 'template') {
      const depth = this.#templates.pop()
      if (depth !== undefined) this.#foreign.leaveTo(depth)
      return
    }
    this.#foreign.close(tag)
    if (this.#isInert) return
    this.#stats.close(tag)
    this.#harvest.marked.close(tag)
    if (this.#foreign.isForeign) return
    if (tag === 'head') this.hasHeadEnded = true
    else if (tag === 'html') this.hasDocumentEnded = true
  }

  /** Reads a title, script, style … up to its end tag; false when the end tag has not arrived. */
  #readRawText({ tag, scriptType, source }: RawTextElement): boolean {
    const content = this.#tokenizer.readRawText(tag === 'iframe' && this.#stats.isInNoscript)
    if (content === null) return false
    this.#rawText = null
    this.#skipsEndTag = true
    // The result must not depend on how much of the end tag has arrived.
    if (this.#isInert || content.end + `</${tag}>`.length > this.#checkpoints.limit) return true
    if (tag === 'title') this.#harvest.title(content)
    else if (scriptType === 'application/ld+json') this.#harvest.jsonLdScript(content)
    else if (tag === 'iframe') this.#harvest.frame(source, content)
    else if (scriptType !== undefined) {
      this.#harvest.script(source, content, this.hasDocumentEnded)
      this.#stats.script()
    }
    return true
  }

  /** The script's type; undefined for data blocks other than JSON-LD. */
  #scriptType(): string | undefined {
    const { bytes } = this.#tokenizer
    const type = this.#tokenizer.attribute('type')
    if (type === null || isBlank(bytes, type)) return 'text/javascript'
    const { start, end } = trimRange(bytes, type)
    let essenceEnd = start
    while (essenceEnd < end && bytes[essenceEnd] !== SEMICOLON) essenceEnd++
    return SCRIPT_TYPES.find(bytes, start, essenceEnd)
  }
}
