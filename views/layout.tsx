import { Html, type PropsWithChildren } from '@elysiajs/html'

export interface LayoutProps {
  title: string
  description: string
  /** The page's own address. */
  url: string
}

/** The frame of every page; it says of itself what urlmeta reads from others. */
export function Layout({ title, description, url, children }: PropsWithChildren<LayoutProps>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title safe>{title}</title>
        <meta name="description" content={description} />
        <link rel="canonical" href={url} />
        <link rel="stylesheet" href="/style.css" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        <meta property="og:url" content={url} />
        <meta property="og:site_name" content="urlmeta" />
        <meta property="og:type" content="website" />
      </head>
      <body>{children as 'safe'}</body>
    </html>
  )
}
