import browserKey from './examples/browser-key.txt' with { type: 'text' }
import { filled } from './ui/filled.ts'
import type { Plan } from '../src/core/plan.ts'
import type { AlertMessage } from '../src/core/usage/alerts.ts'
import type { ApiDocument, ApiResponse } from './docs/api-document.ts'
import { FieldList, fieldsOf, inlined, Prose, ProseText } from './docs/field-list.tsx'
import { Webhooks } from './docs/webhooks.tsx'
import { type Frame, Section, Shell } from './shell.tsx'
import { StatusBadge } from './ui/badge.tsx'
import { CodeExamples, EXAMPLE_URL } from './ui/code-examples.tsx'
import { CodeBlock, JsonBlock } from './ui/code.tsx'
import { PlanTable } from './ui/plan-table.tsx'

export interface DocsProps {
  frame: Frame
  /** The OpenAPI document of this server; `openapiDocument(…) as ApiDocument`. */
  document: ApiDocument
  plans: Plan[]
  webhookExample: AlertMessage
}

const SECTIONS = [
  ['start', 'First request'],
  ['authentication', 'Authentication'],
  ['pages', 'In a web page'],
  ['parameters', 'Parameters'],
  ['response', 'Response'],
  ['headers', 'Headers'],
  ['errors', 'Errors'],
  ['limits', 'Limits and plans'],
  ['cache', 'Cache'],
  ['webhooks', 'Webhooks'],
] as const

/** The API reference, generated from the OpenAPI document. */
export function DocsPage({ frame, document, plans, webhookExample }: DocsProps) {
  const { info, components } = document
  // The other paragraphs have the same content as the sections of this page.
  const [lead = ''] = info.description.split('\n\n')
  return (
    <Shell frame={frame} title="Documentation" description={info.summary}>
      <div class="doc">
        <nav class="toc" aria-label="On this page">
          <ul>
            {SECTIONS.map(([id, label]) => (
              <li>
                <a href={`#${id}`}>{label}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="doc-body">
          <h1>Documentation</h1>
          <ProseText class="lead" text={lead} />
          <p class="muted">
            Generated from this server's <a href="/openapi.json">OpenAPI document</a>, version{' '}
            <span safe>{info.version}</span>. The documented behavior is stable; fields and headers may be added.
          </p>
          <Section id="start" title="First request">
            <p>
              {frame.viewer === null ? <a href="/sign-in">Sign in</a> : <a href="/keys">Go to your keys</a>}
              {' and create a key. Store it in the environment variable '}
              <code>URLMETA_KEY</code>, then:
            </p>
            <CodeExamples request={{ baseUrl: frame.baseUrl, url: EXAMPLE_URL, timeoutMs: null, isFresh: false }} />
          </Section>
          <Section id="authentication" title="Authentication">
            <p>Send an API key with every request, in a header:</p>
            <FieldList
              fields={Object.values(components.securitySchemes).map(({ in: place, ...scheme }) => ({
                ...scheme,
                schema: { type: place },
              }))}
            />
            <p>
              A key can have an expiry date, a list of hosts whose pages it may request, and a list of client addresses
              that may use it. To replace a key without downtime, rotate it: both keys work for up to 7 days. Open a key
              under <a href="/keys">Keys</a> to do so.
            </p>
          </Section>
          <Section id="pages" title="In a web page">
            <p>
              Create a key with the <strong>allowed origins</strong> of your pages. Every visitor can read a key in a
              page, so such a key works from these origins only, with GET, for public hosts and without{' '}
              <code>cache=false</code>, and each visitor has a small limit per minute. <a href="/card">Link card</a>{' '}
              describes the element in this example.
            </p>
            <CodeBlock code={filled(browserKey, { BASE_URL: frame.baseUrl, URL: EXAMPLE_URL })} />
          </Section>
          <Reference document={document} plans={plans} />
          <Section id="webhooks" title="Webhooks">
            <Webhooks example={webhookExample} />
          </Section>
        </div>
      </div>
    </Shell>
  )
}

/** The sections about the only operation of the API. */
function Reference({ document, plans }: Pick<DocsProps, 'document' | 'plans'>) {
  const [path, methods] = Object.entries(document.paths)[0]!
  const operation = Object.values(methods)[0]!
  const success = operation.responses['200']!
  const { schemas } = document.components
  const fields = fieldsOf(inlined(schemas['MetadataResponse']!, schemas))
  const headers = Object.entries(success.headers ?? {}).map(([name, header]) => ({ ...header, name, required: false }))
  return (
    <>
      <Section id="parameters" title="Parameters">
        <p>
          <code safe>{`GET ${path}`}</code>
        </p>
        <FieldList fields={operation.parameters} />
      </Section>
      <Section id="response" title="Response">
        <p>
          <Prose text={success.description} /> Fields without a value are omitted.
        </p>
        <JsonBlock value={Object.values(success.content ?? {})[0]?.example} label="200" />
        <FieldList fields={fields} isResponse />
      </Section>
      <Section id="headers" title="Headers">
        <p>
          Every response has <code>X-Request-Id</code>. Responses with status 200 also have the remaining requests of
          the per-minute and the monthly limit.
        </p>
        <FieldList fields={headers} />
      </Section>
      <Section id="errors" title="Errors">
        <p>
          Errors are JSON with one field, <code>error</code>, a human-readable message. The HTTP server rejects
          malformed requests (400), large bodies (413) and URLs or headers that are too long (431) before they reach the
          service, without a body.
        </p>
        <Errors responses={Object.entries(operation.responses).filter(([status]) => status !== '200')} />
      </Section>
      <Section id="limits" title="Limits and plans">
        <p>
          Minutes and months are calendar minutes and months in UTC. Every request with a valid key and valid parameters
          counts against the per-minute limit of its key. All keys of a user share a second limit: the limit per key
          times the number of keys that the plan allows. Only responses with status 200, cached or not, count against
          the monthly limit.
        </p>
        <PlanTable plans={plans} current={null} />
      </Section>
      <Section id="cache" title="Cache">
        <p>
          <Prose text={operation.description} /> The <code>X-Cache</code> header is <code>HIT</code> or{' '}
          <code>MISS</code>. With <code>cache=false</code> the page is fetched again and the new result is cached.
        </p>
      </Section>
    </>
  )
}

/** Lists only the headers that are not common to all errors. */
function Errors({ responses }: { responses: readonly (readonly [status: string, response: ApiResponse])[] }) {
  const headers = responses.map(([, response]) => Object.keys(response.headers ?? {}))
  const common = new Set(headers[0]?.filter((name) => headers.every((names) => names.includes(name))))
  return (
    <dl class="fields">
      {responses.map(([status, response]) => (
        <div>
          <dt>
            <StatusBadge status={Number(status)} />
          </dt>
          <dd>
            <ProseText text={response.description} />
            <ul class="messages">
              {messagesOf(response).map((message) => (
                <li>
                  <code safe>{message}</code>
                </li>
              ))}
            </ul>
            <HeaderNames names={Object.keys(response.headers ?? {}).filter((name) => !common.has(name))} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function HeaderNames({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  return <ProseText class="hint" text={`Headers: ${names.map((name) => `\`${name}\``).join(', ')}`} />
}

/** The `error` value of each example. */
function messagesOf(response: ApiResponse): string[] {
  return Object.values(response.content ?? {})
    .flatMap(({ examples = {} }) => Object.values(examples))
    .map(({ value }) => (value as { error?: unknown }).error)
    .filter((message) => typeof message === 'string')
}
