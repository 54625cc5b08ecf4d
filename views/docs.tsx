import type { Plan } from '../src/core/plan.ts'
import type { ApiDocument, ApiParameter, ApiResponse } from './docs/api-document.ts'
import { DocLayout, type DocLayoutProps } from './docs/doc-layout.tsx'
import { FieldList, fieldsOf, inlined, Prose, ProseText } from './docs/field-list.tsx'
import { Section } from './shell.tsx'
import { CodeExamples, EXAMPLE_URL } from './ui/code-examples.tsx'
import { JsonBlock } from './ui/code.tsx'
import { PlanTable } from './ui/plan-table.tsx'

export interface DocsProps extends DocLayoutProps {
  /** The OpenAPI document of this server; `openapiDocument(…) as ApiDocument`. */
  document: ApiDocument
  plans: Plan[]
}

const SECTIONS = ['Start', 'Authentication', 'Parameters', 'Response', 'Headers', 'Errors', 'Limits']

/** The API reference, generated from the OpenAPI document. The pages beside it have what is not about this server. */
export function DocsPage({ document, plans, ...props }: DocsProps) {
  const { info, paths, components } = document
  const { viewer, baseUrl } = props.frame
  // The other paragraphs have the same content as the sections of this page.
  const [lead = ''] = info.description.split('\n\n')
  const [path, methods] = Object.entries(paths)[0]!
  const operation = Object.values(methods)[0]!
  const success = operation.responses['200']!
  const fields = fieldsOf(inlined(components.schemas['MetadataResponse']!, components.schemas))
  const headers = Object.entries(success.headers ?? {}).map(([name, header]) => ({ ...header, name, required: false }))
  const errors = Object.entries(operation.responses).filter(([status]) => status !== '200')
  const contents = SECTIONS.map((title) => ({ id: title.toLowerCase(), title }))
  return (
    <DocLayout {...props} title="Documentation" description={info.summary} contents={contents}>
      <h1>API reference</h1>
      <ProseText class="lead" text={lead} />
      <p class="muted">
        Generated from this server's <a href="/openapi.json">OpenAPI document</a>, version{' '}
        <span safe>{info.version}</span>. The documented behavior is stable; fields and headers may be added.
      </p>
      <Section id="start" title="First request">
        <p>
          {viewer === null ? <a href="/sign-in">Sign in</a> : <a href="/keys">Go to your keys</a>}
          {' and create a key. Store it in the environment variable '}
          <code>URLMETA_KEY</code>, then:
        </p>
        <CodeExamples request={{ baseUrl, url: EXAMPLE_URL, timeoutMs: null, isFresh: false }} />
        <p>
          A key in a web page needs <a href="/docs/api#cors">allowed origins</a>; the page can show{' '}
          <a href="/docs/cards">link cards</a>.
        </p>
      </Section>
      <Section id="authentication" title="Authentication">
        <p>
          Send the key in the header <code>X-API-Key</code>. A key can expire, be limited to hosts, client addresses and
          origins of web pages, and be rotated without downtime: see <a href="/docs/dashboard#keys">Keys</a>.
        </p>
      </Section>
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
          Errors are JSON with one field, <code>error</code>, a human-readable message.{' '}
          <a href="/docs/api#errors">The API</a> has the reasons why a page could not be fetched, and when to try again.
        </p>
        <FieldList fields={errors.map(([status, response]) => errorField(status, response))} />
      </Section>
      <Section id="limits" title="Limits and plans">
        <p>
          <a href="/docs/limits">Limits</a> has how requests are counted. Minutes and months are in UTC.
        </p>
        <PlanTable plans={plans} current={null} />
      </Section>
    </DocLayout>
  )
}

/** A status with the `error` value of each example. */
function errorField(name: string, { description, content = {} }: ApiResponse): ApiParameter {
  const examples = Object.values(content).flatMap((body) => Object.values(body.examples ?? {}))
  const messages = examples.map(({ value }) => `\`${(value as { error: string }).error}\``)
  return { name, schema: {}, description: [description, ...messages].join(' ') }
}
