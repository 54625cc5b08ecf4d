import { AppError } from '../errors.ts'
import type { Extra } from '../extract/fields/extra.ts'
import type { Failure, Format, MetadataResult } from './format.ts'

/** All formats except the format of `GET /v1/metadata`. */
export const FORMATS: readonly Format[] = [
  // https://microlink.io/docs/api/getting-started/data-fields, for its client `@microlink/mql`.
  {
    name: 'microlink',
    path: '/compat/microlink',
    fields: ['final_url'],
    keyParameters: ['apiKey'],
    request: (parameter) => ({ url: parameter('url'), bypassesCache: parameter('force') === 'true' }),
    response: ({ url, canonical_url, title, description, image, favicon, site_name, locale, meta, extra }) => ({
      status: 'success',
      data: {
        title: title ?? null,
        description: description ?? null,
        lang: locale?.split(/[-_]/, 1)[0] ?? null,
        author: meta?.author ?? null,
        publisher: site_name ?? null,
        image: fileOf(image),
        logo: fileOf(favicon),
        date: meta?.published_time ?? null,
        url: canonical_url ?? extra?.final_url ?? url,
      },
      statusCode: 200,
    }),
    failure: (failure) => ({
      status: failure.status < 500 ? 'fail' : 'error',
      code: microlinkCodeOf(failure),
      message: failure.message,
      data: {},
    }),
  },
  // https://docs.linkpreview.net, whose clients send a query or a form.
  {
    name: 'linkpreview',
    path: '/compat/linkpreview',
    methods: ['GET', 'POST'],
    keyHeader: 'X-Linkpreview-Api-Key',
    keyParameters: ['key'],
    fields: ['final_url'],
    request: (parameter) => ({ url: parameter('q') }),
    responseParameters: ['fields'],
    response(result, parameter) {
      const { title = '', description = '', image = '' } = result
      const url = result.extra?.final_url ?? result.url
      return { title, description, image, url, ...linkpreviewFields(result, parameter('fields')?.split(',') ?? []) }
    },
    failure: ({ status, message }) => ({ title: '', description: message, image: '', url: '', error: status }),
  },
  // opengraph.io, version 1.1: https://www.opengraph.io/documentation
  {
    name: 'opengraph',
    path: '/compat/opengraph/api/1.1/site/:url',
    fields: ['final_url', 'image_size'],
    keyParameters: ['app_id'],
    request: (parameter) => ({
      url: parameter('url'),
      bypassesCache: parameter('cache_ok') === 'false',
      // `auto` stands for the language of the client.
      language: parameter('accept_lang') === 'auto' ? null : parameter('accept_lang'),
    }),
    response(result) {
      const { url, title, description, type, image, favicon, site_name, locale, meta, extra } = result
      const canonical = result.canonical_url ?? extra?.final_url ?? url
      const article = { articlePublishedTime: meta?.published_time, articleAuthor: meta?.author }
      const graph = { title, description, type, url: canonical, site_name, locale, ...article }
      const { width, height } = extra?.image_size ?? {}
      // Many clients read only `imageSecureUrl`.
      const secureImage = image?.startsWith('https:') ? image : undefined
      const sized = { image, imageSecureUrl: secureImage, imageWidth: width, imageHeight: height }
      const hybridGraph = { ...graph, ...sized, favicon }
      return {
        hybridGraph,
        // Clients read `htmlInferred` and its `images` without a check.
        htmlInferred: { ...hybridGraph, images: image === undefined ? [] : [image] },
        openGraph: { ...graph, ...(image !== undefined && { image: { url: image, width, height } }) },
        url,
      }
    },
    failure: ({ status, message }) => ({ error: { code: status, message } }),
  },
  // https://iframely.com/docs/iframely-api, with links grouped by their rel.
  {
    name: 'iframely',
    path: '/compat/iframely',
    fields: ['final_url', 'image_size'],
    keyParameters: ['api_key', 'key'],
    request: (parameter) => ({
      url: parameter('url'),
      bypassesCache: parameter('refresh') === 'true' || parameter('refresh') === '1',
    }),
    response: ({ url, canonical_url, title, description, image, favicon, site_name, meta, extra }) => ({
      url,
      meta: {
        title,
        description,
        author: meta?.author,
        site: site_name,
        canonical: canonical_url ?? extra?.final_url ?? url,
        date: meta?.published_time,
      },
      links: { ...iframelyLinksOf('thumbnail', image, extra?.image_size), ...iframelyLinksOf('icon', favicon) },
    }),
    // `error` until June 2027, `title` and `detail` since 2026: https://iframely.com/updates/092829-result-codes-2026
    failure: ({ status, message }) => ({ status, error: message, title: message, detail: message }),
  },
  // https://github.com/misskey-dev/summaly. The key is in the path, because Misskey appends its own query to the URL.
  {
    name: 'summaly',
    path: '/compat/summaly/:key',
    keyParameters: ['key'],
    request: (parameter) => ({ url: parameter('url'), language: parameter('lang') }),
    response: ({ url, title, description, image, favicon, site_name, twitter_card }) => ({
      title: title ?? null,
      icon: favicon ?? null,
      description: description ?? null,
      thumbnail: image ?? null,
      thumbnailStyle: ['summary', 'summary_large_image'].find((style) => style === twitter_card?.card) ?? null,
      sitename: site_name ?? null,
      player: { url: null, width: null, height: null, allow: [] },
      activityPub: null,
      fediverseCreator: null,
      url,
    }),
    failure: ({ message }) => ({ error: message }),
  },
  // The backend of Editor.js's link tool: https://github.com/editor-js/link#backend-response-format
  {
    name: 'editorjs',
    path: '/compat/editorjs',
    keyParameters: ['api_key'],
    request: (parameter) => ({ url: parameter('url') }),
    response: ({ url, title, description, image, site_name }) => ({
      success: 1,
      link: url,
      meta: { title, description, site_name, ...(image !== undefined && { image: { url: image } }) },
    }),
    failure: ({ message }) => ({ success: 0, message }),
  },
  // https://jsonlink.io/docs
  {
    name: 'jsonlink',
    path: '/compat/jsonlink/extract',
    keyParameters: ['api_key'],
    request: (parameter) => ({ url: parameter('url') }),
    // Clients read the texts without a check.
    response: ({ url, title = '', description = '', image, favicon = '', site_name = '', response_time_ms }) => ({
      title,
      description,
      images: image === undefined ? [] : [image],
      sitename: site_name,
      favicon,
      duration: response_time_ms,
      domain: new URL(url).hostname,
      url,
    }),
    failure: ({ status, message }) => ({ status, message }),
  },
  // The API of Peekalink's client `peekalink`, which posts `{ "link": … }` as JSON.
  {
    name: 'peekalink',
    path: '/compat/peekalink',
    methods: ['POST'],
    keyParameters: [],
    request: (parameter) => ({ url: parameter('link') }),
    response: ({ url, title, description, image, favicon, site_name, fetched_at }) => ({
      url,
      domain: new URL(url).hostname,
      lastUpdated: fetched_at,
      title,
      description,
      name: site_name,
      ...(favicon !== undefined && { icon: { url: favicon } }),
      ...(image !== undefined && { image: { url: image } }),
    }),
    failure: ({ message }) => ({ message }),
  },
  // A response of type `link`: https://oembed.com, 2.3.4. A thumbnail requires its width and height.
  {
    name: 'oembed',
    path: '/oembed',
    fields: ['final_url', 'image_size'],
    keyParameters: ['api_key', 'key'],
    request: (parameter) => ({ url: parameter('url') }),
    check(parameter) {
      if ((parameter('format') ?? 'json') !== 'json')
        throw new AppError('not_implemented', 'Only format=json is available')
    },
    response: ({ url, title, image, site_name, meta, extra: { final_url = url, image_size: size } = {} }) => ({
      version: '1.0',
      type: 'link',
      title,
      author_name: meta?.author,
      provider_name: site_name,
      provider_url: new URL(final_url).origin,
      ...(image && size && { thumbnail_url: image, thumbnail_width: size.width, thumbnail_height: size.height }),
    }),
    failure: ({ message }) => ({ error: message }),
  },
]

/** The name of the format of a route, which is `mcp` for the Model Context Protocol; null for other routes. */
export function formatOf(routePath: string): string | null {
  if (routePath === '/mcp') return 'mcp'
  return FORMATS.find(({ path }) => path === routePath)?.name ?? null
}

function fileOf(url: string | undefined) {
  return url === undefined ? null : { url }
}

/** https://microlink.io/docs/api/basics/error-codes */
function microlinkCodeOf({ kind, status, message }: Failure): string {
  if (status === 401 || status === 403) return 'EAUTH'
  if (status === 429) return 'ERATE'
  if (kind === 'invalid_request') return message.startsWith('Invalid URL') ? 'EINVALURL' : 'EINVAL'
  if (message.includes(': timed out after ')) return 'ETIMEOUT'
  return message.endsWith(': too many redirects') ? 'EMAXREDIRECTS' : 'EFATAL'
}

function linkpreviewFields(
  { canonical_url, locale, site_name, favicon }: MetadataResult,
  requested: readonly string[],
) {
  const values = { canonical: canonical_url, locale, site_name, icon: favicon }
  return Object.fromEntries(Object.entries(values).filter(([name]) => requested.includes(name)))
}

function iframelyLinksOf(rel: string, href: string | undefined, media?: Extra['image_size']) {
  return href === undefined ? {} : { [rel]: [{ href, type: 'image', rel: [rel], media }] }
}
