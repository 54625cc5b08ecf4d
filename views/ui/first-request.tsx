import { CodeBlock } from './code.tsx'

/** The URL in the example. */
const EXAMPLE_PAGE = 'https://example.com'

/** A curl command; it reads the key from `$URLMETA_KEY` when none is given. */
export function FirstRequest({ baseUrl, apiKey }: { baseUrl: string; apiKey: string | null }) {
  const url = encodeURIComponent(EXAMPLE_PAGE)
  return (
    <CodeBlock code={`curl -H "X-API-Key: ${apiKey ?? '$URLMETA_KEY'}" \\\n  "${baseUrl}/v1/metadata?url=${url}"`} />
  )
}
