import { escapeHtml } from '@kitajs/html'

/** Text in which code is between backticks. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code safe>{part}</code> : escapeHtml(part)))}</>
}
