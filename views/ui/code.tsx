import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import { Icon } from './icon.tsx'
import { Text } from './text.tsx'

/** A string literal in JSON or in the languages of the examples, on one line. */
const STRING = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/

export interface CodeProps {
  /** Shown above the code: `200`. */
  label?: string
}

export function CodeBlock({ code, ...props }: CodeProps & { code: string }) {
  return (
    <Block {...props}>
      <Strings text={code} />
    </Block>
  )
}

/** Names and strings are colored. */
export function JsonBlock({ value, ...props }: CodeProps & { value: unknown }) {
  const lines = JSON.stringify(value, null, 2).split('\n')
  return (
    <Block {...props}>
      {lines.map((line, index) => (
        <JsonLine line={line} isLast={index === lines.length - 1} />
      ))}
    </Block>
  )
}

function Block({ label = '', children }: PropsWithChildren<CodeProps>) {
  return (
    <div class="code">
      <Text class="code-label" text={label} />
      <CopyButton />
      <pre>
        <code>{children as 'safe'}</code>
      </pre>
    </div>
  )
}

/** Copies the code of its block. It appears only if scripts run. */
export const CopyButton = () => (
  <button type="button" class="button small copy" hidden data-copy>
    <Icon name="copy" />
    <span>Copy</span>
  </button>
)

/** JSON.stringify writes one property per line; its name ends at the first `": `. */
function JsonLine({ line, isLast }: { line: string; isLast: boolean }) {
  const [, indent = '', name = '', rest = line] = /^(\s*)("(?:[^"\\]|\\.)*"): (.*)$/.exec(line) ?? []
  const end = isLast ? '' : '\n'
  if (name === '') return <Strings text={line + end} />
  return (
    <>
      {escapeHtml(indent)}
      <b safe>{name}</b>
      <Strings text={`: ${rest}${end}`} />
    </>
  )
}

function Strings({ text }: { text: string }) {
  return <>{text.split(STRING).map((part, index) => (index % 2 === 1 ? <i safe>{part}</i> : escapeHtml(part)))}</>
}
