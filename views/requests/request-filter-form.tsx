import { escapeHtml } from '@kitajs/html'

import type { RequestFilter, RequestSummary } from '../../src/core/usage/request-log.ts'
import { reasonText } from '../ui/failures.tsx'
import { Select } from '../ui/form.tsx'
import { keyOptions, type NamedKey } from '../ui/key-table.tsx'
import { countText } from '../ui/number.ts'
import { timeText } from '../ui/time.tsx'

const RESULTS = [
  ['all', 'All results'],
  ['ok', 'Successful'],
  ['fetched', 'Fetched'],
  ['cached', 'From cache'],
  ['failed', 'Failed'],
] as const

export interface RequestFilterFormProps {
  keys: readonly NamedKey[]
  filter: RequestFilter
  /** The failures in the log, whatever the filter selects. */
  reasons: RequestSummary['failuresByReason']
  /** The UTC days of the log, newest first. */
  loggedDays: readonly string[]
  /** Whether host and path are logged. */
  logsUrls: boolean
}

export function RequestFilterForm({ keys, filter, reasons, loggedDays, logsUrls }: RequestFilterFormProps) {
  const { keyId, result, text, day } = filter
  const searched = logsUrls ? 'Request ID, host or path' : 'Request ID'
  return (
    <form action="/usage/requests" class="filter" role="search" data-submit-on-change autocomplete="off">
      <input type="search" name="q" value={escapeHtml(text)} aria-label={searched} placeholder={searched} dir="auto" />
      <Select
        name="result"
        label="Result"
        value={result}
        options={[
          ...RESULTS,
          ...reasons.map(({ reason, count }) => [reason, `${reasonText(reason)} (${countText(count)})`]),
        ]}
      />
      <Select name="key" label="Key" value={keyId ?? ''} options={[['', 'All keys'], ...keyOptions(keys)]} />
      <Select
        name="day"
        label="Day (UTC)"
        value={day ?? ''}
        options={[
          ['', 'All days'],
          ...[...new Set(day === null ? loggedDays : [...loggedDays, day])].map((time) => [time, timeText(time)]),
        ]}
      />
      <button class="button small">Show</button>
    </form>
  )
}
