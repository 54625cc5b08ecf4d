import { escapeHtml, type PropsWithChildren } from '@kitajs/html'
import { ButtonLink } from './button-link.tsx'

/** The current page, counted from 1, and the number of pages. */
export interface Paging {
  page: number
  pages: number
}

export interface PagedListProps {
  paging: Paging
  href: (page: number) => string
}

/** Beyond the last page, shows a notice instead of the children. */
export function PagedList({ paging: { page, pages }, href, children }: PropsWithChildren<PagedListProps>) {
  if (page > pages) {
    return (
      <p class="empty">
        <span safe>{`Page ${page} is empty. `}</span>
        <a href={escapeHtml(href(pages))}>{pages === 1 ? 'Show the first page' : 'Show the last page'}</a>
      </p>
    )
  }
  return (
    <>
      {children as 'safe'}
      {pages > 1 && (
        <nav class="pager" aria-label="Pages">
          {page > 1 && <ButtonLink kind="small" rel="prev" href={href(page - 1)} text="Previous" />}
          <span class="muted" safe>{`Page ${page} of ${pages}`}</span>
          {page < pages && <ButtonLink kind="small" rel="next" href={href(page + 1)} text="Next" />}
        </nav>
      )}
    </>
  )
}
