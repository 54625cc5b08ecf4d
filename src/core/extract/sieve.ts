import { SEMICOLON } from './ascii.ts'
import { BodyGauge, type BodyMeasure } from './body-gauge.ts'
import { ForeignContent } from './foreign-content.ts'
import { Harvest } from './harvest.ts'
import { RAW_TEXT_TAGS, SCRIPT_TYPES } from './names.ts'
import { isBlank, trimmed } from './range.ts'
import { Tokenizer } from './tokenizer.ts'

/** What one pass over a page has found. */
export interface Sieved {
  harvest: Harvest
  body: BodyMeasure
  /** Reading ended with the head, because the head had said enough; `body` then knows nothing of the body. */
  endedWithHead: boolean
}

/** How far to read: `head` never past the end of the head, `page` only so far when the head holds an og:title. */
export type Reach = 'head' | 'page'

/** One pass over the bytes of a page that keeps what carries metadata and measures the rest. */
export function sieve(bytes: Uint8Array, reach: Reach): Sieved {
  return new Sieve(bytes).run(reach)
}

/**
 * The rules of tree construction that decide whether a tag counts: what is in a template, in svg or MathML, or raw text
 * does not. Any other tag counts wherever it stands, as it would for a browser, which moves it to head or body.
 */
class Sieve {
  readonly #tokenizer: Tokenizer
  readonly #foreign = new ForeignContent()
  /** For each open template, how deep in foreign content it began. What a template holds is no part of the page. */
  readonly #templates: number[] = []
  readonly #harvest = new Harvest()
  readonly #gauge: BodyGauge
  /** By its end tag or the body's start tag. */
  #headEnded = false

  constructor(bytes: Uint8Array) {
    this.#tokenizer = new Tokenizer(bytes)
    this.#gauge = new BodyGauge(bytes)
  }

  run(reach: Reach): Sieved {
    const tokenizer = this.#tokenizer
    let endedWithHead = false
    for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
      const inHead = !this.#headEnded
      if (token === 'start') this.#open()
      else if (token === 'end') this.#close()
      else if (!this.#isInert && !this.#foreign.isForeign) this.#gauge.text(tokenizer)
      if (inHead && this.#headEnded) {
        endedWithHead = this.#harvest.hasOpenGraphTitle
        if (endedWithHead || reach === 'head') break
      }
      tokenizer.inForeignContent = this.#foreign.isForeign
    }
    return { harvest: this.#harvest, body: this.#gauge.measure(), endedWithHead }
  }

  get #isInert(): boolean {
    return this.#templates.length > 0
  }

  #open(): void {
    const tokenizer = this.#tokenizer
    const { tag } = tokenizer
    if (!this.#isInert) this.#harvest.microdata.open(tokenizer)
    if (tag === '' || !this.#foreign.open(tokenizer)) return
    if (RAW_TEXT_TAGS.has(tag)) this.#rawText(tag)
    else if (tag === 'template') this.#templates.push(this.#foreign.depth)
    else if (!this.#isInert) {
      this.#harvest.element(tokenizer, this.#gauge.isInNoscript)
      this.#gauge.open(tokenizer)
      if (tag === 'body') this.#headEnded = true
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
    this.#gauge.close(tag)
    if (tag === 'head' && !this.#foreign.isForeign) this.#headEnded = true
  }

  /** Takes a title, script, style … whole, up to its end tag. */
  #rawText(tag: string): void {
    const tokenizer = this.#tokenizer
    const scriptType = tag === 'script' && !this.#isInert ? this.#scriptType() : undefined
    const source = tokenizer.attribute('src')
    const content = tokenizer.readRawText()
    tokenizer.next()
    if (this.#isInert) return
    if (tag === 'title') this.#harvest.title(content)
    else if (scriptType === 'application/ld+json') this.#harvest.jsonLdScript(content)
    else if (tag === 'iframe') this.#harvest.frame(source, content)
    else if (scriptType !== undefined) {
      this.#harvest.script(source, content)
      this.#gauge.script()
    }
  }

  /** What kind of script it is; undefined when it is data that neither a browser runs nor a rule asks for. */
  #scriptType(): string | undefined {
    const { bytes } = this.#tokenizer
    const type = this.#tokenizer.attribute('type')
    if (type === null || isBlank(bytes, type)) return 'text/javascript'
    const { start, end } = trimmed(bytes, type)
    const parameters = bytes.subarray(start, end).indexOf(SEMICOLON)
    return SCRIPT_TYPES.find(bytes, start, parameters < 0 ? end : start + parameters)
  }
}
