import { CodeBlock } from './code.tsx'

const EXAMPLE_PAGE = 'https://example.com'

export interface FirstRequestProps {
  baseUrl: string
  apiKey: string | null
  /** The origin of a page that may use the key; undefined for a key that works from anywhere. */
  pageOrigin?: string | undefined
}

/** A curl command; it reads the key from `$URLMETA_KEY` when none is given. */
export function FirstRequest({ baseUrl, apiKey, pageOrigin }: FirstRequestProps) {
  const headers = [`X-API-Key: ${apiKey ?? '$URLMETA_KEY'}`, ...(pageOrigin ? [`Origin: ${pageOrigin}`] : [])]
  const options = headers.map((header) => `-H "${header}"`).join(' ')
  return <CodeBlock code={`curl ${options} \\\n  "${baseUrl}/v1/metadata?url=${encodeURIComponent(EXAMPLE_PAGE)}"`} />
}
