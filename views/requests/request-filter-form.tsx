import type { LoggedValues, RequestFilter } from '../../src/core/usage/request-log.ts'
import { reasonText } from '../ui/failures.tsx'
import { Select } from '../ui/form.tsx'
import { keyOptions, type NamedKey } from '../ui/key-table.tsx'
import { timeText } from '../ui/time.tsx'

const CACHES = [
  ['all', 'Fetched and cached'],
  ['MISS', 'Fetched'],
  ['HIT', 'From cache'],
] as const

export interface RequestFilterFormProps {
  keys: readonly NamedKey[]
  filter: RequestFilter
  /** The choices of results and hosts. */
  values: Pick<LoggedValues, 'reasons' | 'hosts'>
  /** The UTC days of the log, newest first. */
  loggedDays: readonly string[]
}

export function RequestFilterForm({ keys, filter, values: { reasons, hosts }, loggedDays }: RequestFilterFormProps) {
  const { day } = filter
  return (
    <form action="/usage/requests" class="filter" aria-label="Filter" data-submit-on-change autocomplete="off">
      <Select name="key" label="Key" value={filter.keyId ?? ''} options={[['', 'All keys'], ...keyOptions(keys)]} />
      <Select
        name="result"
        label="Result"
        value={filter.result}
        options={[
          ['all', 'All results'],
          ['ok', 'Successful'],
          ['failed', 'Failed'],
          ...[...new Set([...reasons, ...reasonOf(filter)])].map((reason) => [reason, `Failed: ${reasonText(reason)}`]),
        ]}
      />
      <Select name="cache" label="Cache" value={filter.cache} options={CACHES} />
      {(hosts.length > 0 || filter.host !== null) && (
        <Select
          name="host"
          label="Host"
          value={filter.host ?? ''}
          options={[['', 'All hosts'], ...hosts.map((host) => [host, host])]}
        />
      )}
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

/** The reason that the filter selects, which the log may no longer have. */
const reasonOf = ({ result }: RequestFilter): string[] => (['all', 'ok', 'failed'].includes(result) ? [] : [result])
