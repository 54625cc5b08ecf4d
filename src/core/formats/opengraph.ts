import type { Format } from './format.ts'

/** opengraph.io, version 1.1: https://www.opengraph.io/documentation */
export const opengraph: Format = {
  name: 'opengraph',
  path: '/compat/opengraph/api/1.1/site/:url',
  fields: ['image_size'],
  request: (parameter) => ({
    url: parameter('url'),
    apiKey: parameter('app_id'),
    bypassesCache: parameter('cache_ok') === 'false',
    // `auto` stands for the language of the client.
    language: parameter('accept_lang') === 'auto' ? null : parameter('accept_lang'),
  }),
  response(result) {
    const { url, title, description, type, image, favicon, site_name, locale, meta, extra } = result
    const graph = { title, description, type, url: result.canonical_url ?? url, site_name, locale }
    const article = { articlePublishedTime: meta?.published_time, articleAuthor: meta?.author }
    return {
      hybridGraph: { ...graph, image, favicon, ...article },
      openGraph: { ...graph, ...(image !== undefined && { image: { url: image, ...extra?.image_size } }) },
      url,
    }
  },
  failure: ({ status, message }) => ({ error: { code: status, message } }),
}
