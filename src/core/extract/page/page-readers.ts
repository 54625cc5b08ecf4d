import { JsonLdScripts } from '../json-ld/json-ld-scripts.ts'
import { Fragments } from '../reading/fragment.ts'
import { TextReader } from '../reading/text.ts'

/** Readers of a page's bytes. They cache their results, so all `Page`s created while the page arrives share them. */
export class PageReaders {
  readonly text: TextReader
  readonly scripts: JsonLdScripts
  readonly fragments: Fragments
  readonly teasers: Fragments

  constructor(bytes: Uint8Array, encoding: string, isXml = false) {
    this.text = new TextReader(bytes, encoding)
    this.text.isXml = isXml
    this.scripts = new JsonLdScripts(this.text)
    this.fragments = new Fragments(this.text)
    this.teasers = new Fragments(this.text)
  }
}
