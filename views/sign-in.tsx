import { Html } from '@elysiajs/html'

import type { SignInProblem } from '../src/core/identity.ts'
import { type Frame, Shell } from './shell.tsx'
import { CodeBlock } from './ui/code.tsx'
import { GitHubIcon, GoogleIcon, KeyIcon } from './ui/icon.tsx'

export interface SignInProvider {
  /** In the path of its button: `/sign-in/github`. */
  id: string
  /** As the button says it: `GitHub`, `Google`, or the name of the operator's own issuer. */
  label: string
}

export interface SignInProps {
  frame: Frame
  /** Those that are set up; none: the page explains the one-time link. */
  providers: SignInProvider[]
  /** An own path to return to; is handed on as `/sign-in/github?next=…`. */
  next: string | null
  problem: SignInProblem | null
}

/** What happened, and the way on. */
const PROBLEMS: Readonly<Record<SignInProblem, readonly [title: string, advice: string]>> = {
  cancelled: [
    'Nothing was shared',
    'You stopped at the provider, so nobody was signed in. Try again whenever you like.',
  ],
  attempt_expired: [
    'That attempt is no longer valid',
    'Sign-in has to be finished once, in the browser it began in, within ten minutes. If you have just signed in in another tab, you are signed in here too: go to the start page. Otherwise start again; if it keeps failing, allow cookies for this site.',
  ],
  provider_failed: [
    'The provider did not answer as expected',
    'Try again in a minute. If it stays like this, tell the operator of this server: its log has the details.',
  ],
  email_unverified: [
    'Your email address is not verified',
    'Verify it in the settings of the provider, then sign in again. An account here needs an address that is known to be yours.',
  ],
  email_taken: [
    'This address belongs to another account',
    'If that account is yours, sign in the way you did before. If somebody else had the address before you, or you were added anew at the provider, ask the operator of this server.',
  ],
  link_spent: [
    'This link cannot be used',
    'Sign-in links work once, for fifteen minutes. Ask for a new one: urlmeta user sign-in-link EMAIL, on the machine that runs urlmeta.',
  ],
  suspended: [
    'This account is suspended',
    'Its keys do not work either. The operator of this server can tell you why and lift it.',
  ],
  too_many_attempts: ['Too many attempts', 'Wait a minute, then try again.'],
}

/** The ways to sign in, and what to do when one failed. */
export function SignIn({ frame, providers, next, problem }: SignInProps) {
  return (
    <Shell frame={frame} title="Sign in" description="Sign in to make API keys and see their usage.">
      <div class="narrow">
        <h1>Sign in</h1>
        {problem !== null && (
          <div class="callout bad" role="alert">
            <p class="callout-title" safe>
              {PROBLEMS[problem][0]}
            </p>
            <p safe>{PROBLEMS[problem][1]}</p>
          </div>
        )}
        {providers.length > 0 ? <Buttons providers={providers} next={next} /> : <OneTimeLink />}
      </div>
    </Shell>
  )
}

/** Links and not forms: where a form may lead, redirects included, is limited to this server by its own policy. */
function Buttons({ providers, next }: Pick<SignInProps, 'providers' | 'next'>) {
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`
  return (
    <>
      <p class="lead">To make API keys, try pages in the playground and see what is used.</p>
      <ul class="providers">
        {providers.map(({ id, label }) => (
          <li>
            <a class="button wide" href={`/sign-in/${encodeURIComponent(id)}${query}`}>
              <ProviderIcon id={id} label={label} />
              <span safe>{`Continue with ${label}`}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="muted">
        Your name and email address are read from the provider, once at each sign-in. Nothing is posted or changed
        there.
      </p>
    </>
  )
}

function ProviderIcon({ id, label }: SignInProvider) {
  if (id === 'github') return <GitHubIcon />
  return label === 'Google' ? <GoogleIcon /> : <KeyIcon />
}

function OneTimeLink() {
  return (
    <>
      <p class="lead">No identity provider is set up on this server, so signing in takes a one-time link.</p>
      <h2>Use a link</h2>
      <p>
        The server printed one when it started. On the machine that runs it, this makes another, good for fifteen
        minutes and one use:
      </p>
      <CodeBlock code="urlmeta user sign-in-link you@example.com" />
      <h2>Set up a provider</h2>
      <p>
        For more people than you: set <code>URLMETA_GITHUB_CLIENT_ID</code> and{' '}
        <code>URLMETA_GITHUB_CLIENT_SECRET</code>, the same two with <code>GOOGLE</code>, or those of any other OpenID
        Connect issuer, and start the server again.
      </p>
    </>
  )
}
