import { attempt } from './attempt.ts'

/** A text with its percent-encoding decoded; unchanged if the result is not valid UTF-8. */
export function percentDecoded(text: string): string {
  return attempt(() => decodeURIComponent(text)) ?? text
}
