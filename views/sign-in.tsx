import type { IdentityProvider, SignInProblem } from '../src/core/accounts/identity.ts'
import { type Frame, Shell } from './shell.tsx'
import problems from './sign-in-problems.json'
import { CodeBlock } from './ui/code.tsx'
import { Icon } from './ui/icon.tsx'
import { Text } from './ui/text.tsx'

export interface SignInProps {
  frame: Frame
  /** The configured providers. If there are none, the page explains one-time links. */
  providers: readonly Pick<IdentityProvider, 'id' | 'label'>[]
  /** The local path to return to, passed on as `/sign-in/github?next=…`. */
  next: string | null
  problem: SignInProblem | null
}

const PROBLEMS: Readonly<Record<SignInProblem, { title: string; advice: string }>> = problems

export function SignInPage({ frame, providers, next, problem }: SignInProps) {
  return (
    <Shell frame={frame} title="Sign in" description="Sign in to create API keys and see their usage.">
      <div class="narrow">
        <h1>Sign in</h1>
        {problem !== null && (
          <div class="callout bad" role="alert">
            <Text class="callout-title" text={PROBLEMS[problem].title} />
            <p safe>{PROBLEMS[problem].advice}</p>
          </div>
        )}
        {providers.length > 0 ? (
          <Buttons providers={providers} next={next} />
        ) : (
          problem !== 'invitation_invalid' && <OneTimeLink />
        )}
      </div>
    </Shell>
  )
}

/** Links and not forms, because the Content-Security-Policy does not allow forms to redirect to other sites. */
function Buttons({ providers, next }: Pick<SignInProps, 'providers' | 'next'>) {
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`
  return (
    <>
      <p class="lead">Create API keys, try the playground and see your usage.</p>
      <ul class="providers">
        {providers.map(({ id, label }) => (
          <li>
            <a class="button wide" href={`/sign-in/${encodeURIComponent(id)}${query}`}>
              <Icon name={id === 'github' ? 'github' : label === 'Google' ? 'google' : 'key-round'} />
              <span safe>{`Continue with ${label}`}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="muted">
        Your name and email address are read from the provider at each sign-in. Nothing is changed at the provider.
      </p>
    </>
  )
}

function OneTimeLink() {
  return (
    <>
      <p class="lead">Sign in with the one-time link that you were sent. Ask your operator for a new link.</p>
      <details>
        <summary>For the operator of this server</summary>
        <div class="stack">
          <p>
            The server printed a link when it started. To create another, run this on the server; it works once, within
            fifteen minutes:
          </p>
          <CodeBlock code="urlmeta user sign-in-link you@example.com" />
          <p>
            No identity provider is configured. To let people sign in without links, set{' '}
            <code>URLMETA_GITHUB_CLIENT_ID</code> and <code>URLMETA_GITHUB_CLIENT_SECRET</code>, the same two with{' '}
            <code>GOOGLE</code>, or the variables of another OpenID Connect issuer, and restart the server.
          </p>
        </div>
      </details>
    </>
  )
}
