import { SEMICOLON } from './ascii.ts'
import { BodyStatsCounter, type BodyStats } from './body-stats.ts'
import { ForeignContent } from './foreign-content.ts'
import { Harvest } from './harvest.ts'
import { RAW_TEXT_TAGS, SCRIPT_TYPES } from './html-names.ts'
import { isBlank, trimRange } from './range.ts'
import { Tokenizer } from './tokenizer.ts'

/** The result of one pass over a page. */
export interface SieveResult {
  harvest: Harvest
  body: BodyStats
  /** Reading stopped after the head, because it has an og:title; `body` then covers the head alone. */
  endedWithHead: boolean
}

/** How far to read: `head` stops after the head, `page` does so only when the head has an og:title. */
export type Reach = 'head' | 'page'

/** Reads a page in one pass: keeps the elements with metadata and counts text and scripts. */
export function sieve(bytes: Uint8Array, reach: Reach): SieveResult {
  return new Sieve(bytes).run(reach)
}

/**
 * The rules of tree construction that decide whether a tag counts. Tags inside templates, svg, MathML and raw text do
 * not. All others count wherever they are: a browser would move them to the head or body.
 */
class Sieve {
  readonly #tokenizer: Tokenizer
  readonly #foreign = new ForeignContent()
  /**
   * For each open template, the depth of foreign content at its start. The content of templates is not part of the
   * page.
   */
  readonly #templates: number[] = []
  readonly #harvest = new Harvest()
  readonly #stats: BodyStatsCounter
  /** Set by `</head>` or `<body>`. */
  #headEnded = false

  constructor(bytes: Uint8Array) {
    this.#tokenizer = new Tokenizer(bytes)
    this.#stats = new BodyStatsCounter(bytes)
  }

  run(reach: Reach): SieveResult {
    const tokenizer = this.#tokenizer
    let endedWithHead = false
    for (let token = tokenizer.next(); token !== 'done'; token = tokenizer.next()) {
      const inHead = !this.#headEnded
      if (token === 'start') this.#open()
      else if (token === 'end') this.#close()
      else if (!this.#isInert && !this.#foreign.isForeign) this.#stats.text(tokenizer)
      if (inHead && this.#headEnded) {
        endedWithHead = this.#harvest.hasOpenGraphTitle
        if (endedWithHead || reach === 'head') break
      }
      tokenizer.inForeignContent = this.#foreign.isForeign
    }
    return { harvest: this.#harvest, body: this.#stats.stats(), endedWithHead }
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
      this.#harvest.element(tokenizer, this.#stats.isInNoscript)
      this.#stats.open(tokenizer)
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
    this.#stats.close(tag)
    if (tag === 'head' && !this.#foreign.isForeign) this.#headEnded = true
  }

  /** Reads a title, script, style … up to its end tag. */
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
      this.#stats.script()
    }
  }

  /** The script's type; undefined for data blocks other than JSON-LD. */
  #scriptType(): string | undefined {
    const { bytes } = this.#tokenizer
    const type = this.#tokenizer.attribute('type')
    if (type === null || isBlank(bytes, type)) return 'text/javascript'
    const { start, end } = trimRange(bytes, type)
    const parameters = bytes.subarray(start, end).indexOf(SEMICOLON)
    return SCRIPT_TYPES.find(bytes, start, parameters < 0 ? end : start + parameters)
  }
}
