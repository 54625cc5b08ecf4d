import { Html } from '@elysiajs/html'

import { Layout } from './layout.tsx'

export interface LandingProps {
  baseUrl: string
  version: string
}

/** What the service is, and the three commands that lead to a first answer. */
export function Landing({ baseUrl, version }: LandingProps) {
  const curl = `curl -H "X-API-Key: $KEY" \\\n  "${baseUrl}/v1/metadata?url=https%3A%2F%2Fexample.com"`
  return (
    <Layout title="urlmeta" description="What a web page says of itself, as JSON." url={`${baseUrl}/`}>
      <main>
        <h1>urlmeta</h1>
        <p class="lead">Give it a URL and an API key; it answers with what the page says of itself, as JSON.</p>
        <h2>Make a key</h2>
        <p>On the machine that runs urlmeta:</p>
        <pre>
          <code>urlmeta key create --email you@example.com</code>
        </pre>
        <h2>Ask</h2>
        <pre>
          <code safe>{curl}</code>
        </pre>
        <h2>Read on</h2>
        <ul>
          <li>
            <a href="/openapi.json">OpenAPI description</a>, for clients and their generators
          </li>
          <li>
            <a href="/healthz">Health</a> of the process and <a href="/readyz">readiness</a> of its database
          </li>
        </ul>
      </main>
      <footer>
        urlmeta <span safe>{version}</span>
      </footer>
    </Layout>
  )
}
