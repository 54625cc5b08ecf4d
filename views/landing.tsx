import { escapeHtml } from '@kitajs/html'

import type { Plan } from '../src/core/plan.ts'
import { ASSETS } from './assets.ts'
import facts from './landing-facts.json'
import { PublicRequestForm } from './playground/public-playground.tsx'
import { type Frame, Section, Shell } from './shell.tsx'
import { CodeBlock, JsonBlock } from './ui/code.tsx'
import { Detail } from './ui/detail.tsx'
import { filled } from './ui/filled.ts'
import { PlanTable } from './ui/plan-table.tsx'
import { ButtonLink } from './ui/button-link.tsx'

export interface LandingProps {
  frame: Frame
  fieldCount: number
  plans: readonly Plan[]
  planOfNewUsers: string
  /** Requests per minute of a visitor of the public playground. */
  visitorPerMinute: number
}

const TITLE = 'urlmeta: metadata for any URL, as JSON'
const DESCRIPTION = 'One request returns the title, description, image, favicon and more of any page.'

/**
 * The response of the API for this page; a test compares it with the response of a server. The times are from one request.
 */
export function landingResponse(baseUrl: string) {
  return {
    url: `${baseUrl}/`,
    canonical_url: `${baseUrl}/`,
    title: TITLE,
    description: DESCRIPTION,
    image: baseUrl + ASSETS['/social-image.png'].href,
    favicon: baseUrl + ASSETS['/favicon.svg'].href,
    site_name: 'urlmeta',
    type: 'website',
    locale: 'en_US',
    twitter_card: { card: 'summary_large_image' },
    fetched_at: '2026-11-23T08:00:00.000Z',
    fetch_method: 'http',
    response_time_ms: 12,
  }
}

export function LandingPage({ frame, fieldCount, plans, planOfNewUsers, visitorPerMinute }: LandingProps) {
  const { baseUrl, isPlaygroundPublic } = frame
  const request = `/v1/metadata?url=${encodeURIComponent(`${baseUrl}/`)}`
  return (
    <Shell frame={frame} title={TITLE} description={DESCRIPTION}>
      <div class="hero">
        <h1>Metadata for any URL, as JSON</h1>
        <p class="lead">
          One request returns the title, description, image, favicon, author and more of any page, ready for link
          previews, bookmarks and feeds.
        </p>
        {isPlaygroundPublic && <PublicRequestForm perMinute={visitorPerMinute} />}
        <p class="actions">
          <ButtonLink kind={isPlaygroundPublic ? '' : 'primary'} href="/sign-in" text="Get an API key" />
          <ButtonLink href="/docs" text="Read the documentation" />
        </p>
      </div>
      <section class="example" aria-labelledby="example">
        <h2 id="example" class="visually-hidden">
          An example
        </h2>
        <JsonBlock label={`GET ${request}`} value={landingResponse(baseUrl)} />
        <figure>
          <div class="link-card">
            <img
              class="picture"
              src={escapeHtml(ASSETS['/social-image.png'].href)}
              alt=""
              width="1200"
              height="630"
              loading="lazy"
            />
            <div class="words">
              <p class="site">urlmeta</p>
              <p class="title">{TITLE}</p>
              <p class="text">{DESCRIPTION}</p>
            </div>
          </div>
          <figcaption>This page's metadata from the API, and its link as an app shows it</figcaption>
        </figure>
      </section>
      <Section id="returns" title="What you get">
        <dl class="facts">
          {facts.map(({ name, text }) => (
            <Detail name={filled(name, { FIELDS: String(fieldCount) })} text={text} />
          ))}
        </dl>
      </Section>
      <Section id="plans" title="Plans">
        <PlanTable plans={plans} current={null} />
        <p class="muted">
          New accounts are on the <span safe>{planOfNewUsers}</span> plan. <a href="/sign-in">Sign in</a>, create a key,
          and make a request:
        </p>
        <CodeBlock code={`curl -H "X-API-Key: $URLMETA_KEY" \\\n  "${baseUrl}${request}"`} />
      </Section>
    </Shell>
  )
}
