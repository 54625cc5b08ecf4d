import type { Format } from './format.ts'

/** https://iframely.com/docs/iframely-api, with links grouped by their rel. */
export const iframely: Format = {
  name: 'iframely',
  path: '/compat/iframely',
  methods: ['GET'],
  request: (parameter) => ({
    url: parameter('url'),
    apiKey: parameter('api_key') ?? parameter('key'),
    bypassesCache: parameter('refresh') === 'true' || parameter('refresh') === '1',
  }),
  response: ({ url, canonical_url: canonical, title, description, image, favicon, site_name, meta }) => ({
    url,
    meta: {
      title,
      description,
      author: meta?.author,
      site: site_name,
      canonical: canonical ?? url,
      date: meta?.published_time,
    },
    links: { ...linksOf('thumbnail', image), ...linksOf('icon', favicon) },
  }),
  failure: ({ status, message }) => ({ status, error: message }),
}

function linksOf(rel: string, href: string | undefined) {
  return href === undefined ? {} : { [rel]: [{ href, type: 'image', rel: [rel] }] }
}
