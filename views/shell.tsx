import type { PropsWithChildren } from '@kitajs/html'

import { Layout } from './layout.tsx'
import { PostForm } from './ui/form.tsx'
import { Logo } from './ui/icon.tsx'

/** The signed-in user. */
export interface Viewer {
  email: string
  /** From the identity provider; null when it sent none. */
  name: string | null
  /** Shows the link to /admin. */
  isOperator: boolean
}

/** A message at the top of a page about the last action. */
export interface Notice {
  tone: 'good' | 'bad'
  text: string
}

/** The context of a page, created per request. */
export interface Frame {
  /** The public origin, without a trailing slash. */
  baseUrl: string
  version: string
  /** The page's path, such as `/keys`: marks the navigation and becomes the canonical URL. */
  path: string
  /** Null when not signed in. */
  viewer: Viewer | null
  /** The hidden field `csrf` of every form; '' omits the field. */
  csrf: string
  /** Unix milliseconds; the base of relative times. */
  nowMs: number
  /** Whether visitors without an account can use the playground. */
  isPlaygroundPublic: boolean
  notice: Notice | null
  /** Whether the page is the response to a submitted form. */
  isFormResult?: boolean
}

export interface ShellProps {
  frame: Frame
  /** Without the product's name, which is appended. */
  title: string
  description: string
}

/** Header, navigation, notice and footer around a page. */
export function Shell({ frame, title, description, children }: PropsWithChildren<ShellProps>) {
  const { baseUrl, path, viewer, notice, version } = frame
  return (
    <Layout
      title={path === '/' && viewer === null ? title : `${title} · urlmeta`}
      description={description}
      baseUrl={baseUrl}
      path={path}
      isPublic={viewer === null && PUBLIC_PATHS.has(path)}
      isFormResult={frame.isFormResult ?? false}
    >
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href="/">
            <Logo />
            urlmeta
          </a>
          <nav aria-label="Main">
            <ul>
              {navigation(frame).map((item) => (
                <li>
                  <a href={item.path} aria-current={currentOf(item.path, path)} safe>
                    {item.label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          {viewer === null ? path !== '/sign-in' && <SignInButton /> : <ViewerMenu viewer={viewer} csrf={frame.csrf} />}
        </div>
      </header>
      <main id="main" tabindex="-1">
        {notice !== null && (
          <p class={`notice ${notice.tone}`} role="status" safe>
            {notice.text}
          </p>
        )}
        {children as 'safe'}
      </main>
      <footer class="bottom">
        <p>
          urlmeta <span safe>{version}</span>
        </p>
        <ul>
          <li>
            <a href="/docs">Documentation</a>
          </li>
          <li>
            <a href="/card">Link card</a>
          </li>
          <li>
            <a href="/openapi.json">OpenAPI</a>
          </li>
        </ul>
      </footer>
    </Layout>
  )
}

/** Pages that search engines may index. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/', '/docs', '/card'])

const DOCS = { path: '/docs', label: 'Docs' }
const PLAYGROUND = { path: '/playground', label: 'Playground' }

function navigation({ viewer, isPlaygroundPublic }: Frame) {
  if (viewer === null) return isPlaygroundPublic ? [PLAYGROUND, DOCS] : [DOCS]
  return [
    { path: '/', label: 'Overview' },
    { path: '/keys', label: 'Keys' },
    { path: '/usage', label: 'Usage' },
    PLAYGROUND,
    DOCS,
    ...(viewer.isOperator ? [{ path: '/admin', label: 'Admin' }] : []),
  ]
}

/** `page` for the current page, `true` for its section. */
function currentOf(section: string, path: string): 'page' | 'true' | undefined {
  if (section === path) return 'page'
  return section !== '/' && path.startsWith(`${section}/`) ? 'true' : undefined
}

function SignInButton() {
  return (
    <a class="button small" href="/sign-in">
      Sign in
    </a>
  )
}

function ViewerMenu({ viewer, csrf }: { viewer: Viewer; csrf: string }) {
  return (
    <details class="menu">
      <summary class="button small">
        <span class="visually-hidden">Account of</span>{' '}
        <span class="who" dir="auto" safe>
          {viewer.name ?? viewer.email}
        </span>
      </summary>
      <div class="pop">
        <p class="muted">
          <bdi safe>{viewer.email}</bdi>
        </p>
        <a class="item" href="/account">
          Account
        </a>
        <PostForm action="/sign-out" csrf={csrf}>
          <button class="item">Sign out</button>
        </PostForm>
      </div>
    </details>
  )
}

export interface SectionProps {
  id: string
  title: string
  class?: string
}

/** A part of a page with a heading. */
export function Section({ id, title, class: className, children }: PropsWithChildren<SectionProps>) {
  return (
    <section class={className} aria-labelledby={id}>
      <h2 id={id} safe>
        {title}
      </h2>
      {children as 'safe'}
    </section>
  )
}
