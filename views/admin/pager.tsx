import { escapeHtml } from '@kitajs/html'

/** The current page, counted from 1, and the number of pages. */
export interface Paging {
  page: number
  pages: number
}

export interface PagerProps {
  paging: Paging
  /** The URL of a page of the list. */
  href: (page: number) => string
}

/** Shown for a page number beyond the last page. */
export function MissingPageNotice({ paging: { page, pages }, href }: PagerProps) {
  return (
    <p class="empty">
      <span safe>{`Page ${page} is empty. `}</span>
      <a href={escapeHtml(href(pages))}>{pages === 1 ? 'Show the first page' : 'Show the last page'}</a>
    </p>
  )
}

/** Links to the previous and next page; nothing when there is only one. */
export function Pager({ paging: { page, pages }, href }: PagerProps) {
  if (pages <= 1 || page > pages) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <a class="button small" rel="prev" href={escapeHtml(href(page - 1))}>
          Previous
        </a>
      )}
      <span class="muted" safe>{`Page ${page} of ${pages}`}</span>
      {page < pages && (
        <a class="button small" rel="next" href={escapeHtml(href(page + 1))}>
          Next
        </a>
      )}
    </nav>
  )
}
