import { Aurora } from './landing/aurora.tsx'
import { PlaygroundPicture } from './landing/playground-picture.tsx'
import { Shell } from './shell.tsx'
import { CodeBlock, JsonBlock } from './ui/code.tsx'
import { Detail } from './ui/detail.tsx'

export interface LandingProps {
  baseUrl: string
  version: string
  /** The number of metadata fields. */
  fieldCount: number
}

/** The example response; the preview card uses the same values. */
const EXAMPLE = {
  url: 'https://example.com/northern-lights',
  canonical_url: 'https://example.com/northern-lights',
  title: 'Where to see the northern lights',
  description: 'Six places, the best months, and what to bring.',
  image: 'https://example.com/img/aurora.jpg',
  favicon: 'https://example.com/favicon.svg',
  site_name: 'Example Travel',
  type: 'article',
  locale: 'en_GB',
  meta: { author: 'Jo Doe', published_time: '2026-11-01T08:00:00Z' },
  fetched_at: '2026-11-20T12:00:00.000Z',
  fetch_method: 'http',
  response_time_ms: 184,
}

/** What the service does, an example response, and how to get started. */
export function LandingPage({ baseUrl, version, fieldCount }: LandingProps) {
  const curl = `curl -H "X-API-Key: $URLMETA_KEY" \\\n  "${baseUrl}/v1/metadata?url=https%3A%2F%2Fexample.com"`
  return (
    <Shell
      frame={{ baseUrl, version, path: '/', viewer: null, csrf: '', nowMs: 0, notice: null }}
      title="urlmeta: metadata for any URL, as JSON"
      description="One request returns the title, description, image, favicon and more of any page. Self-hosted, one executable."
    >
      <div class="hero">
        <h1>Metadata for any URL, as JSON</h1>
        <p class="lead">
          One request returns the title, description, image, favicon, author and more of any page, ready for link
          previews, bookmarks and feeds.
        </p>
        <p class="actions">
          <a class="button primary" href="/sign-in">
            Get an API key
          </a>
          <a class="button" href="/docs">
            Read the documentation
          </a>
        </p>
      </div>
      <section class="example" aria-labelledby="example">
        <h2 id="example" class="visually-hidden">
          An example
        </h2>
        <JsonBlock label="GET /v1/metadata?url=https%3A%2F%2Fexample.com%2Fnorthern-lights" value={EXAMPLE} />
        <figure>
          <ExampleCard />
          <figcaption>The link preview an app shows</figcaption>
        </figure>
      </section>
      <section class="look" aria-labelledby="playground">
        <div>
          <h2 id="playground">See it before you build it</h2>
          <p class="muted">
            The playground previews the link to any page as apps show it, checks the tags of the page, and shows which
            tag each field came from.
          </p>
        </div>
        <PlaygroundPicture title={EXAMPLE.title} siteName={EXAMPLE.site_name} url={EXAMPLE.url} />
      </section>
      <section class="steps" aria-labelledby="start">
        <h2 id="start">Get started</h2>
        <ol>
          <li>
            <h3>Start the server</h3>
            <p>One executable with an embedded database. It prints its address.</p>
            <CodeBlock code="urlmeta serve" />
          </li>
          <li>
            <h3>Create a key</h3>
            <p>
              <a href="/sign-in">Sign in</a> and create one, or run on the server:
            </p>
            <CodeBlock code={'urlmeta key create \\\n  --email you@example.com'} />
          </li>
          <li>
            <h3>Make a request</h3>
            <p>From any HTTP client, with the key in a header.</p>
            <CodeBlock code={curl} />
          </li>
        </ol>
      </section>
      <section aria-labelledby="inside">
        <h2 id="inside">Features</h2>
        <dl class="facts">
          <Detail name={`${fieldCount} fields, with fallbacks`}>
            Open Graph first, then social cards, JSON-LD, microdata and HTML. Relative URLs are resolved to absolute
            ones.
          </Detail>
          <Detail name="JavaScript pages">
            When the plain HTML has no metadata, the page is rendered in a local Chromium. The response says which
            method was used.
          </Detail>
          <Detail name="Caching and limits">
            Results are cached. Failed requests are free, and every successful response includes the remaining
            per-minute and monthly quota.
          </Detail>
          <Detail name="Safe to expose">
            Requests to private networks are blocked, including through redirects, DNS rebinding and Chromium.
          </Detail>
        </dl>
      </section>
    </Shell>
  )
}

function ExampleCard() {
  return (
    <div class="link-card">
      <Aurora />
      <div class="words">
        <p class="site" safe>
          {EXAMPLE.site_name}
        </p>
        <p class="title" safe>
          {EXAMPLE.title}
        </p>
        <p class="text" safe>
          {EXAMPLE.description}
        </p>
      </div>
    </div>
  )
}
