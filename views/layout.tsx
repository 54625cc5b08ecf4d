import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

import { ASSETS } from './assets.ts'

export interface LayoutProps {
  title: string
  description: string
  /** The public origin, without a trailing slash. */
  baseUrl: string
  path: string
  /** Whether search engines may list it. */
  isPublic: boolean
  /** Whether it is the response to a submitted form. The script then changes its URL to `path`. */
  isFormResult: boolean
}

/** The HTML document around every page, with its own metadata. */
export function Layout(props: PropsWithChildren<LayoutProps>) {
  const { title, description, baseUrl, path, isPublic, isFormResult, children } = props
  // JSX escapes only quotes in attributes. A title may also contain `&lt;`, which must not be decoded.
  const [titleText, descriptionText, address, image] = [
    title,
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
        {!isPublic && <meta name="robots" content="noindex" />}
        <title safe>{title}</title>
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
