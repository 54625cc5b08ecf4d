import { AppError } from '../errors.ts'
import type { Format } from './format.ts'

/** A response of type `link`: https://oembed.com, 2.3.4. A thumbnail requires its width and height. */
export const oembed: Format = {
  name: 'oembed',
  path: '/oembed',
  fields: ['image_size'],
  request: (parameter) => ({ url: parameter('url'), apiKey: parameter('api_key') }),
  check(parameter) {
    if ((parameter('format') ?? 'json') !== 'json')
      throw new AppError('not_implemented', 'Only format=json is available')
  },
  response: ({ url, title, image, site_name, meta, extra: { image_size: size } = {} }) => ({
    version: '1.0',
    type: 'link',
    title,
    author_name: meta?.author,
    provider_name: site_name,
    provider_url: new URL(url).origin,
    ...(image && size && { thumbnail_url: image, thumbnail_width: size.width, thumbnail_height: size.height }),
  }),
  failure: ({ message }) => ({ error: message }),
}
