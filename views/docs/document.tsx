import { COPY_SLOT, type Document } from '../../documents.ts'
import { CopyButton } from '../ui/code.tsx'
import { DocLayout, type DocLayoutProps } from './doc-layout.tsx'

/** A page of docs/. */
export const DocumentPage = ({ document, ...props }: DocLayoutProps & { document: Document }) => (
  <DocLayout {...props} {...document}>
    {document.html.replaceAll(COPY_SLOT, (<CopyButton />) as string) as 'safe'}
  </DocLayout>
)
