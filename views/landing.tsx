import { Html } from '@elysiajs/html'

import { Shell } from './shell.tsx'
import { CodeBlock, JsonBlock } from './ui/code.tsx'

export interface LandingProps {
  baseUrl: string
  version: string
  /** How many fields are read from a page. */
  fieldCount: number
}

/** What the answer of the example is; the card beside it is drawn from the same values. */
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

/** What the service is, an answer to look at, and the steps to a first one. */
export function Landing({ baseUrl, version, fieldCount }: LandingProps) {
  const curl = `curl -H "X-API-Key: $KEY" \\\n  "${baseUrl}/v1/metadata?url=https%3A%2F%2Fexample.com"`
  return (
    <Shell
      frame={{ baseUrl, version, path: '/', viewer: null, csrf: '', nowMs: 0, notice: null }}
      title="urlmeta: what a web page says of itself, as JSON"
      description="One request returns title, description, image, icon and more of any page. Self-hosted, one executable."
    >
      <div class="hero">
        <h1>What a web page says of itself, as JSON</h1>
        <p class="lead">
          One request returns title, description, image, icon, author and more of any page, ready for link previews,
          bookmarks and feeds.
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
        <h2 id="example" class="unseen">
          An example
        </h2>
        <JsonBlock label="GET /v1/metadata?url=https%3A%2F%2Fexample.com%2Fnorthern-lights" value={EXAMPLE} />
        <figure>
          <ExampleCard />
          <figcaption>What an app makes of it</figcaption>
        </figure>
      </section>
      <section class="steps" aria-labelledby="start">
        <h2 id="start">From nothing to an answer</h2>
        <ol>
          <li>
            <h3>Start it</h3>
            <p>One executable with its database inside. It prints where it listens.</p>
            <CodeBlock code="urlmeta serve" />
          </li>
          <li>
            <h3>Make a key</h3>
            <p>
              <a href="/sign-in">Sign in</a> and make one, or on the machine itself:
            </p>
            <CodeBlock code="urlmeta key create --email you@example.com" />
          </li>
          <li>
            <h3>Ask</h3>
            <p>From anywhere that speaks HTTP.</p>
            <CodeBlock code={curl} />
          </li>
        </ol>
      </section>
      <section aria-labelledby="inside">
        <h2 id="inside">What is inside</h2>
        <dl class="facts">
          <div>
            <dt safe>{`${fieldCount} fields, with fallbacks`}</dt>
            <dd>
              Open Graph first, then social cards, JSON-LD, microdata and what the page shows. Relative URLs come back
              whole.
            </dd>
          </div>
          <div>
            <dt>Pages drawn by scripts</dt>
            <dd>
              When plain HTML says nothing, a local Chromium opens the page. The answer tells which of the two it was.
            </dd>
          </div>
          <div>
            <dt>Cached and counted</dt>
            <dd>
              Answers are kept for 24 hours. Failures cost nothing, and every answer says what is left of minute and
              month.
            </dd>
          </div>
          <div>
            <dt>Safe to expose</dt>
            <dd>Private networks stay out of reach, through redirects, DNS and Chromium alike.</dd>
          </div>
        </dl>
      </section>
    </Shell>
  )
}

function ExampleCard() {
  return (
    <div class="link-card">
      <svg viewBox="0 0 400 210" class="picture" aria-hidden="true">
        <rect width="400" height="210" fill="#0b1f3a" />
        <path d="M0 120C80 20 120 150 200 70S330 20 400 90v40C320 70 290 140 200 130S90 90 0 170z" fill="#2fbf8f" />
        <path d="M0 90C90 10 150 110 220 50S340 0 400 50v25C330 40 290 100 220 90S80 60 0 130z" fill="#7ee2b8" />
        <path d="M0 210v-40l70-30 60 35 70-55 80 50 50-25 70 40v25z" fill="#06101f" />
      </svg>
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
