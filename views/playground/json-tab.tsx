import { JsonBlock } from '../ui/code.tsx'
import type { TabProps } from './outcome.ts'

/** The response of the API. */
export function JsonTab({ outcome: { response } }: TabProps) {
  return <JsonBlock value={response} />
}
