import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import type { DocumentGroup } from '../../documents.ts'
import { type Frame, Navigation, Shell, type ShellProps } from '../shell.tsx'
import { TextLink } from '../ui/text.tsx'

export interface DocLayoutProps {
  frame: Frame
  /** The lists of pages, each for one kind of reader. */
  groups: readonly DocumentGroup[]
}

export interface DocContent extends ShellProps, DocLayoutProps {
  /** The sections of the page. */
  contents?: readonly { id: string; title: string }[]
  /** The query in the search field. */
  query?: string
}

/** A page of the documentation; beside it the search, the lists of all pages, and a list of its own sections. */
export function DocLayout(props: PropsWithChildren<DocContent>) {
  const { frame, groups, title, description, contents = [], query = '', children } = props
  return (
    <Shell frame={frame} title={title} description={description}>
      <div class="doc">
        <div class="doc-side">
          <form action="/docs/search" class="inline" role="search" data-live-search autocomplete="off">
            <input type="search" name="q" aria-label="Words" value={escapeHtml(query)} maxlength="100" />
            <button class="button">Search</button>
          </form>
          <details class="doc-pages">
            <summary>All pages</summary>
            {groups.map(({ title: name, pages }) => (
              <details open={pages.some((page) => page.path === frame.path)}>
                <summary safe>{name}</summary>
                <Navigation label={name} pages={pages} path={frame.path} />
              </details>
            ))}
          </details>
          <nav class="toc" aria-label="On this page" hidden={contents.length === 0}>
            <p class="name">On this page</p>
            <ul>
              {contents.map((section) => (
                <li>
                  <TextLink href={`#${section.id}`} text={section.title} />
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <div class="doc-body">{children as 'safe'}</div>
      </div>
    </Shell>
  )
}
