import type { Failure, Format } from './format.ts'

/** https://microlink.io/docs/api/getting-started/data-fields, for its client `@microlink/mql`. */
export const microlink: Format = {
  name: 'microlink',
  path: '/compat/microlink',
  request: (parameter) => ({
    url: parameter('url'),
    apiKey: parameter('apiKey'),
    bypassesCache: parameter('force') === 'true',
  }),
  response: ({ url, canonical_url: canonical, title, description, image, favicon, site_name, locale, meta }) => ({
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
      url: canonical ?? url,
    },
    statusCode: 200,
  }),
  failure: (failure) => ({
    status: failure.status < 500 ? 'fail' : 'error',
    code: codeOf(failure),
    message: failure.message,
    data: {},
  }),
}

function fileOf(url: string | undefined) {
  return url === undefined ? null : { url }
}

/** https://microlink.io/docs/api/basics/error-codes */
function codeOf({ kind, status, message }: Failure): string {
  if (status === 401 || status === 403) return 'EAUTH'
  if (status === 429) return 'ERATE'
  if (kind === 'invalid_request') return message.startsWith('Invalid URL') ? 'EINVALURL' : 'EINVAL'
  return 'EFATAL'
}
