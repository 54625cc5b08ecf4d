import type { ApiResponse } from './api-document.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Prose } from './prose.tsx'

/** The error statuses with their meaning, messages, and the headers that are not common to all of them. */
export function Errors({ responses }: { responses: readonly (readonly [status: string, response: ApiResponse])[] }) {
  const headers = responses.map(([, response]) => Object.keys(response.headers ?? {}))
  const common = new Set(headers[0]?.filter((name) => headers.every((names) => names.includes(name))))
  return (
    <dl class="fields">
      {responses.map(([status, response]) => (
        <div>
          <dt>
            <StatusBadge status={Number(status)} />
          </dt>
          <dd>
            <p>
              <Prose text={response.description} />
            </p>
            <ul class="messages">
              {messagesOf(response).map((message) => (
                <li>
                  <code safe>{message}</code>
                </li>
              ))}
            </ul>
            <HeaderNames names={Object.keys(response.headers ?? {}).filter((name) => !common.has(name))} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function HeaderNames({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <p class="hint">
      Headers: <Prose text={names.map((name) => `\`${name}\``).join(', ')} />
    </p>
  )
}

/** The `error` value of each example. */
function messagesOf(response: ApiResponse): string[] {
  return Object.values(response.content ?? {})
    .flatMap(({ examples = {} }) => Object.values(examples))
    .map(({ value }) => (value as { error?: unknown }).error)
    .filter((message) => typeof message === 'string')
}
