import { Html, type PropsWithChildren } from '@elysiajs/html'

import { Layout } from './layout.tsx'
import { PostForm } from './ui/form.tsx'
import { Mark } from './ui/icon.tsx'

/** Who looks at the page. */
export interface Viewer {
  email: string
  /** As the identity provider gave it; null when it gave none. */
  name: string | null
  /** Sees the link to /admin. */
  isOperator: boolean
}

/** One sentence on top of a page about what just happened. */
export interface Notice {
  tone: 'good' | 'bad'
  text: string
}

/** What every page needs besides its own content. Made once for each request. */
export interface Frame {
  /** The public origin, without a slash at its end. */
  baseUrl: string
  version: string
  /** The page's own path, `/keys`: it marks the navigation and becomes the canonical address. */
  path: string
  /** Null when nobody is signed in. */
  viewer: Viewer | null
  /** Goes into the hidden field `csrf` of every form; '' leaves the field out. */
  csrf: string
  /** Unix milliseconds; "3 minutes ago" is told from here. */
  nowMs: number
  notice: Notice | null
}

export interface ShellProps {
  frame: Frame
  /** Without the product's name, which is added. */
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
      url={baseUrl + path}
      isPublic={viewer === null && PUBLIC_PATHS.has(path)}
    >
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href="/">
            <Mark />
            urlmeta
          </a>
          <nav aria-label="Main">
            <ul>
              {sections(viewer).map((section) => (
                <li>
                  <a href={section.path} aria-current={currentOf(section.path, path)} safe>
                    {section.label}
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
            <a href="/openapi.json">OpenAPI</a>
          </li>
        </ul>
      </footer>
    </Layout>
  )
}

/** What search engines may list. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/', '/docs'])

interface Section {
  path: string
  label: string
}

const DOCS: Section = { path: '/docs', label: 'Docs' }

function sections(viewer: Viewer | null): Section[] {
  if (viewer === null) return [DOCS]
  return [
    { path: '/', label: 'Overview' },
    { path: '/keys', label: 'Keys' },
    { path: '/usage', label: 'Usage' },
    { path: '/playground', label: 'Playground' },
    DOCS,
    ...(viewer.isOperator ? [{ path: '/admin', label: 'Admin' }] : []),
  ]
}

/** `page` where the visitor is, `true` on what holds it, nothing elsewhere. */
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
        <span class="unseen">Account of</span>{' '}
        <span class="who" safe>
          {viewer.name ?? viewer.email}
        </span>
      </summary>
      <div class="pop">
        <p class="muted" safe>
          {viewer.email}
        </p>
        <a href="/account">Account</a>
        <PostForm action="/sign-out" csrf={csrf}>
          <button class="link">Sign out</button>
        </PostForm>
      </div>
    </details>
  )
}
