import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import type { User } from '../src/core/accounts/ports.ts'
import { ASSETS } from './assets.ts'
import { PostForm } from './ui/form.tsx'
import { Icon, Logo } from './ui/icon.tsx'
import { InlineText } from './ui/text.tsx'
import { ButtonLink } from './ui/button-link.tsx'

/** The signed-in user. Operators get the link to /admin. */
type Viewer = Pick<User, 'email' | 'name'> & { isOperator: boolean }

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
  /** Whether the page is the response to a submitted form. The script then changes its URL to `path`. */
  isFormResult?: boolean
}

export interface ShellProps {
  frame: Frame
  /** Without the product's name, which is appended. */
  title: string
  description: string
}

export function Shell({ frame, title, description, children }: PropsWithChildren<ShellProps>) {
  const { path, viewer, notice, version } = frame
  return (
    <Document frame={frame} title={title} description={description}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <div class="bar">
          <a class="brand" href="/">
            <Logo />
            urlmeta
          </a>
          <Navigation label="Main" pages={mainPages(frame)} path={path} />
          {viewer !== null && <ViewerMenu viewer={viewer} csrf={frame.csrf} />}
          {viewer === null && path !== '/sign-in' && <ButtonLink kind="small" href="/sign-in" text="Sign in" />}
        </div>
      </header>
      <main id="main" tabindex="-1">
        {notice !== null && (
          <p class={`notice ${notice.tone}`} role="status">
            <Icon name={notice.tone === 'good' ? 'check' : 'x'} /> {escapeHtml(notice.text)}
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
            <a href="/docs/cards">Link cards</a>
          </li>
          <li>
            <a href="/openapi.json">OpenAPI</a>
          </li>
        </ul>
      </footer>
    </Document>
  )
}

function Document({ frame, title, description, children }: PropsWithChildren<ShellProps>) {
  const { baseUrl, path, viewer, isFormResult = false } = frame
  const pageTitle = path === '/' && viewer === null ? title : `${title} · urlmeta`
  // JSX escapes only quotes in attributes. A title may also contain `&lt;`, which must not be decoded.
  const [titleText, descriptionText, address, image] = [
    pageTitle,
    description,
    baseUrl + path,
    baseUrl + ASSETS['/social-image.png'].href,
  ].map(escapeHtml)
  return (
    <html lang="en" data-page={isFormResult ? escapeHtml(path) : undefined}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {(viewer !== null || !PUBLIC_PATHS.has(path)) && <meta name="robots" content="noindex" />}
        <title safe>{pageTitle}</title>
        <meta name="description" content={descriptionText} />
        <link rel="canonical" href={address} />
        <link rel="icon" type="image/svg+xml" href={ASSETS['/favicon.svg'].href} />
        <link rel="stylesheet" href={ASSETS['/style.css'].href} />
        <script src={ASSETS['/script.js'].href} defer></script>
        <meta property="og:title" content={titleText} />
        <meta property="og:description" content={descriptionText} />
        <meta property="og:url" content={address} />
        <meta property="og:site_name" content="urlmeta" />
        <meta property="og:type" content="website" />
        <meta property="og:locale" content="en_US" />
        <meta property="og:image" content={image} />
        <meta property="og:image:type" content="image/png" />
        <meta property="og:image:width" content="1200" />
        <meta property="og:image:height" content="630" />
        <meta property="og:image:alt" content="urlmeta: metadata for any URL, as JSON" />
        <meta name="twitter:card" content="summary_large_image" />
      </head>
      <body>{children as 'safe'}</body>
    </html>
  )
}

/** Pages that search engines may index. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/', '/docs'])

const DOCS = { path: '/docs', label: 'Docs', icon: 'book-open' }
const PLAYGROUND = { path: '/playground', label: 'Playground', icon: 'flask-conical' }

function mainPages({ viewer, isPlaygroundPublic }: Frame): NavigationProps['pages'] {
  if (viewer === null) return isPlaygroundPublic ? [PLAYGROUND, DOCS] : [DOCS]
  return [
    { path: '/', label: 'Overview', icon: 'layout-dashboard' },
    { path: '/keys', label: 'Keys', icon: 'key-round' },
    { path: '/usage', label: 'Usage', icon: 'chart-column' },
    PLAYGROUND,
    DOCS,
    ...(viewer.isOperator ? [{ path: '/admin', label: 'Admin', icon: 'shield' }] : []),
  ]
}

export interface NavigationProps {
  label: string
  class?: string
  /** A page belongs to an entry if its path is below `section`, which is the path of the entry by default. */
  pages: readonly { path: string; label: string; icon?: string; section?: string }[]
  path: string
}

/** `aria-current` is `page` for the link to the current page, and `true` for the entry to which the current page belongs. */
export function Navigation({ label, class: className, pages, path }: NavigationProps) {
  return (
    <nav aria-label={label}>
      <ul class={className}>
        {pages.map(({ path: own, label: text, icon, section = own }) => (
          <li>
            <a href={own} aria-current={own === path ? 'page' : path.startsWith(`${section}/`) ? 'true' : undefined}>
              {icon !== undefined && <Icon name={icon} />}
              {escapeHtml(text)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function ViewerMenu({ viewer, csrf }: { viewer: Viewer; csrf: string }) {
  return (
    <details class="menu">
      <summary class="button small">
        <span class="visually-hidden">Account of</span>{' '}
        <InlineText class="who" dir="auto" text={viewer.name ?? viewer.email} />
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
