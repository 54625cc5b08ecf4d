import { Html } from '@elysiajs/html'

import { CodeBlock } from './code.tsx'

/** The page that examples ask for. */
const EXAMPLE_PAGE = 'https://example.com'

/** A request to paste into a terminal; `$KEY` where no key is at hand. */
export function FirstRequest({ baseUrl, apiKey }: { baseUrl: string; apiKey: string | null }) {
  const url = encodeURIComponent(EXAMPLE_PAGE)
  return <CodeBlock code={`curl -H "X-API-Key: ${apiKey ?? '$KEY'}" \\\n  "${baseUrl}/v1/metadata?url=${url}"`} />
}
