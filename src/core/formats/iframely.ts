import type { Extra } from '../extract/fields/extra.ts'
import type { Format } from './format.ts'

/** https://iframely.com/docs/iframely-api, with links grouped by their rel. */
export const iframely: Format = {
  name: 'iframely',
  path: '/compat/iframely',
  fields: ['image_size'],
  request: (parameter) => ({
    url: parameter('url'),
    apiKey: parameter('api_key') ?? parameter('key'),
    bypassesCache: parameter('refresh') === 'true' || parameter('refresh') === '1',
  }),
  response: ({ url, canonical_url: canonical, title, description, image, favicon, site_name, meta, extra }) => ({
    url,
    meta: {
      title,
      description,
      author: meta?.author,
      site: site_name,
      canonical: canonical ?? url,
      date: meta?.published_time,
    },
    links: { ...linksOf('thumbnail', image, extra?.image_size), ...linksOf('icon', favicon) },
  }),
  failure: ({ status, message }) => ({ status, error: message }),
}

function linksOf(rel: string, href: string | undefined, media?: Extra['image_size']) {
  return href === undefined ? {} : { [rel]: [{ href, type: 'image', rel: [rel], media }] }
}
