import { Html } from '@elysiajs/html'

/** Code with a copy button, which appears when scripts run. */
export function CodeBlock({ code, label }: { code: string; label?: string }) {
  return (
    <div class="code">
      {label !== undefined && (
        <p class="code-label" safe>
          {label}
        </p>
      )}
      <pre>
        <code safe>{code}</code>
      </pre>
      <CopyButton />
    </div>
  )
}

/** A value as indented JSON with highlighted names. */
export function JsonBlock({ value, label }: { value: unknown; label?: string }) {
  const lines = JSON.stringify(value, null, 2).split('\n')
  return (
    <div class="code json">
      {label !== undefined && (
        <p class="code-label" safe>
          {label}
        </p>
      )}
      <pre>
        <code>
          {lines.map((line, index) => (
            <JsonLine line={line} isLast={index === lines.length - 1} />
          ))}
        </code>
      </pre>
      <CopyButton />
    </div>
  )
}

/** JSON.stringify writes one property per line; its name ends at the first `": `. */
function JsonLine({ line, isLast }: { line: string; isLast: boolean }) {
  const [, indent = '', name = '', rest = line] = /^(\s*)("(?:[^"\\]|\\.)*"): (.*)$/.exec(line) ?? []
  const end = isLast ? '' : '\n'
  if (name === '') return Html.escapeHtml(line + end)
  return (
    <>
      {Html.escapeHtml(indent)}
      <b safe>{name}</b>
      {Html.escapeHtml(`: ${rest}${end}`)}
    </>
  )
}

function CopyButton() {
  return (
    <button type="button" class="button small copy" hidden data-copy>
      Copy
    </button>
  )
}
