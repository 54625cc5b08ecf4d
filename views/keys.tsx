import { escapeHtml } from '@kitajs/html'

import type { ExpiryPreset } from '../src/core/accounts/key-expiry.ts'
import { PagedList, type Paging } from './ui/pager.tsx'
import { type Frame, Section, Shell } from './shell.tsx'
import { CodeBlock } from './ui/code.tsx'
import { FirstRequest } from './ui/code-examples.tsx'
import { FormError, PostForm, TextField } from './ui/form.tsx'
import { ExpiryField, hasOptions, type KeyFields, restrictionsOf } from './ui/key-fields.tsx'
import { type KeyItem, keyPath, KeyTable } from './ui/key-table.tsx'
import { countText, pluralized } from './ui/number.ts'
import { Upgrade, type UpgradeProps } from './ui/plan-table.tsx'

export interface KeysProps {
  frame: Frame
  /** One page of the viewer's keys: active keys first, each group newest first. */
  keys: KeyItem[]
  paging: Paging
  /** How many of the viewer's keys are active, on all pages. */
  active: number
  maxKeys: number
  /** Where the maximum is from: `on the Free plan`, or `for this account`. */
  maxKeysScope: string
  expiryPresets: readonly ExpiryPreset[]
  upgradeUrl: UpgradeProps['url']
  /** The submitted form with its errors, or an empty one. */
  form: KeyFields
  /** Why no key was created, except for errors of fields; '' for none. */
  error: string
  /** The key that was just created, shown only in this response; null otherwise. */
  created: { name: string; key: string; allowedOrigins: readonly string[] } | null
  /** Prevents a second key when the form is submitted again, such as by reloading. */
  idempotencyKey: string
}

export function KeysPage(props: KeysProps) {
  const { frame, keys, paging, active, maxKeys, maxKeysScope, form, error, created } = props
  return (
    <Shell frame={frame} title="API keys" description="Create and deactivate API keys.">
      <h1>API keys</h1>
      <p class="lead">
        Send a key in the <code>X-API-Key</code> header of each request. Use one key per app, so you can revoke them
        separately.
      </p>
      {created !== null && <CreatedKey frame={frame} created={created} />}
      <FormError text={error} />
      <Section id="new" title="New key" class="panel">
        {active >= maxKeys ? (
          <LimitReached {...props} />
        ) : (
          <PostForm action="/keys" csrf={frame.csrf} class="stack" label="New key" busy="Creating…">
            <input type="hidden" name="idempotency_key" value={escapeHtml(props.idempotencyKey)} />
            <TextField
              {...form.name}
              hint={`Where it will be used. ${countText(active)} of ${pluralized(maxKeys, 'active key')} ${maxKeysScope}.`}
              placeholder="Production server"
              isProse
              isRequired
            />
            <details open={hasOptions(form)}>
              <summary>Expiry, restrictions and use in a web page</summary>
              <div class="stack">
                <ExpiryField field={form.expiresAtMs} presets={props.expiryPresets} />
                {restrictionsOf(form).map((field) => (
                  <TextField {...field} />
                ))}
              </div>
            </details>
            <button class="button primary">Create key</button>
          </PostForm>
        )}
      </Section>
      <Section id="list" title="Your keys">
        <PagedList paging={paging} href={(page) => `/keys?page=${page}`}>
          {keys.length === 0 ? (
            <p class="empty">
              No keys yet. A key is <code>urlmeta_live_</code> followed by 32 hexadecimal characters. It is shown once,
              when you create it; the server stores only its SHA-256 hash and its last four characters.
            </p>
          ) : (
            <KeyTable keys={keys} frame={frame} deactivate={(id) => `${keyPath(id)}/deactivate`} href={keyPath} />
          )}
        </PagedList>
      </Section>
    </Shell>
  )
}

function CreatedKey({ frame, created }: { frame: Frame; created: NonNullable<KeysProps['created']> }) {
  return (
    <section class="panel created" aria-labelledby="created">
      <h2 id="created" dir="auto" safe>
        {`Your new key: ${created.name}`}
      </h2>
      <p>
        <strong>Copy it now.</strong> You will not be able to see it again.
      </p>
      <CodeBlock code={created.key} />
      <p>Try it:</p>
      <FirstRequest baseUrl={frame.baseUrl} apiKey={created.key} pageOrigin={created.allowedOrigins[0]} />
      {created.allowedOrigins.length > 0 && (
        <p>
          In the page, use <code>fetch()</code> with the same header, or <a href="/docs/cards">show links as cards</a>.
        </p>
      )}
    </section>
  )
}

function LimitReached({ active, maxKeys, maxKeysScope, upgradeUrl, frame }: KeysProps) {
  const activeKeys = pluralized(active, 'active key')
  return (
    <div class="callout">
      <p safe>
        {active === maxKeys
          ? `You have ${activeKeys}, the maximum ${maxKeysScope}.`
          : `You have ${activeKeys}; the maximum ${maxKeysScope} is ${countText(maxKeys)}. Existing keys keep working.`}
      </p>
      <p>To create another, deactivate a key you no longer use or upgrade your plan.</p>
      <p>
        <Upgrade url={upgradeUrl} viewer={frame.viewer} />
      </p>
    </div>
  )
}
