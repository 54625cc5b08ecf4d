import type { Format } from './format.ts'

/** https://jsonlink.io/docs */
export const jsonlink: Format = {
  name: 'jsonlink',
  path: '/compat/jsonlink/extract',
  request: (parameter) => ({ url: parameter('url'), apiKey: parameter('api_key') }),
  response: ({ url, title, description, image, favicon, site_name, response_time_ms }) => ({
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
}
