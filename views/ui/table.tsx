import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import { countText } from './number.ts'
import { DateTime } from './time.tsx'

export interface TableProps {
  /** With `cards`, rows become cards on narrow screens; their cells have the heading as `data-label`. */
  class: string
  /** For screen readers. */
  caption: string
  /**
   * The headings of the columns. Headings of numbers are aligned like the numbers; `hidden` headings are for screen
   * readers.
   */
  columns: readonly (string | { number: string } | { hidden: string })[]
  /** Whether only screen readers get the headings. */
  isHeadHidden?: boolean
  foot?: JSX.Element
}

/** The children are the rows. */
export function Table({ class: name, caption, columns, isHeadHidden, foot, children }: PropsWithChildren<TableProps>) {
  return (
    <table class={name}>
      <caption class="visually-hidden" safe>
        {caption}
      </caption>
      <thead class={isHeadHidden ? 'visually-hidden' : undefined}>
        <tr>
          {columns.map((column) => (
            <Heading column={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children as 'safe'}</tbody>
      {foot !== undefined && <tfoot>{foot as 'safe'}</tfoot>}
    </table>
  )
}

function Heading({ column }: { column: TableProps['columns'][number] }) {
  if (typeof column === 'string') return <th scope="col">{escapeHtml(column)}</th>
  const isNumber = 'number' in column
  return (
    <th scope="col" class={isNumber ? 'number' : undefined}>
      {isNumber ? escapeHtml(column.number) : <span class="visually-hidden">{escapeHtml(column.hidden)}</span>}
    </th>
  )
}

/** The heading of a row, in the element `of` if there is one. */
export function RowHead({ text, class: name, of }: { text: string; class?: string; of?: 'code' | 'bdi' }) {
  return (
    <th scope="row" class={name}>
      {of === undefined ? escapeHtml(text) : <tag of={of}>{escapeHtml(text)}</tag>}
    </th>
  )
}

export interface TextCellProps {
  /** The heading of the column, in a table with `cards`. */
  label?: string
  text: string
  class?: string | undefined
  /** For a text of a page, which may be written from right to left. */
  dir?: 'auto'
}

export function TextCell({ label, text, class: name, dir }: TextCellProps) {
  return (
    <td data-label={label} class={name} dir={dir} safe>
      {text}
    </td>
  )
}

export function NumberCell({ label, value }: { label: string; value: number }) {
  return <TextCell label={label} text={countText(value)} class="number" />
}

export function DateCell({ label, ms }: { label: string; ms: number }) {
  return (
    <td data-label={label}>
      <DateTime ms={ms} />
    </td>
  )
}

/** The children stay together when the row becomes a card. */
export function PartsCell({ label, class: name, children }: PropsWithChildren<{ label: string; class?: string }>) {
  return (
    <td data-label={label} class={name}>
      <span>{children as 'safe'}</span>
    </td>
  )
}
