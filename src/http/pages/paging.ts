import { LIST_PAGE_ROWS } from '../../core/limits.ts'
import type { Paging } from '../../../views/ui/pager.tsx'

/** Beyond the last page of any list. */
const MAX_PAGE = 1_000_000

/** Parses a page number; 1 for anything invalid. */
export function pageNumber(text: string | null): number {
  const page = /^\d{1,7}$/.test(text ?? '') ? Number(text) : 1
  return Math.min(Math.max(page, 1), MAX_PAGE)
}

export function pagingOf(page: number, total: number): Paging {
  return { page, pages: Math.max(1, Math.ceil(total / LIST_PAGE_ROWS)) }
}
