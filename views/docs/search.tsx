import type { DocumentSection } from '../../documents.ts'
import { pluralized } from '../ui/number.ts'
import { Hint, InlineText, TextLink } from '../ui/text.tsx'
import { DocLayout, type DocLayoutProps } from './doc-layout.tsx'

/** A section that matches a query. */
export type DocHit = Pick<DocumentSection, 'href' | 'label'> & { excerpt: string }

export function DocSearchPage({ hits, ...props }: DocLayoutProps & { query: string; hits: readonly DocHit[] }) {
  return (
    <DocLayout {...props} title="Search" description="Search the documentation.">
      <h1>Search</h1>
      <div id="results">
        <InlineText class="muted" text={props.query === '' ? 'Enter some words.' : pluralized(hits.length, 'result')} />
        <ol class="hits">
          {hits.map(({ href, label, excerpt }) => (
            <li>
              <TextLink href={href} text={label} />
              <Hint text={excerpt} />
            </li>
          ))}
        </ol>
      </div>
    </DocLayout>
  )
}
