import { escapeHtml } from '@kitajs/html'

import { COPY_SLOT, type Document, EXAMPLE_SERVER } from '../../documents.ts'
import { CopyButton } from '../ui/code.tsx'
import { DocLayout, type DocLayoutProps } from './doc-layout.tsx'

const COPY = (<CopyButton />) as string

/** A page of docs/. */
export const DocumentPage = ({ document, ...props }: DocLayoutProps & { document: Document }) => (
  <DocLayout {...props} {...document}>
    {document.html.replaceAll(COPY_SLOT, COPY).replaceAll(EXAMPLE_SERVER, escapeHtml(props.frame.baseUrl)) as 'safe'}
  </DocLayout>
)
