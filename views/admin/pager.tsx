import { Html } from '@elysiajs/html'

/** One page of a longer list, counted from 1. */
export interface Paging {
  page: number
  pages: number
}

export interface PagerProps {
  paging: Paging
  /** The address of a page of the list. */
  href: (page: number) => string
}

/** A list that has pages, but not this one. */
export function PastTheEnd({ paging: { page, pages }, href }: PagerProps) {
  return (
    <p class="empty">
      <span safe>{`Page ${page} is empty. `}</span>
      <a href={Html.escapeHtml(href(pages))}>{pages === 1 ? 'Show the first page' : 'Show the last page'}</a>
    </p>
  )
}

/** The way to the pages before and after; nothing when there is but one. */
export function Pager({ paging: { page, pages }, href }: PagerProps) {
  if (pages <= 1 || page > pages) return null
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <a class="button small" rel="prev" href={Html.escapeHtml(href(page - 1))}>
          Newer
        </a>
      )}
      <span class="muted" safe>{`Page ${page} of ${pages}`}</span>
      {page < pages && (
        <a class="button small" rel="next" href={Html.escapeHtml(href(page + 1))}>
          Older
        </a>
      )}
    </nav>
  )
}
