import type { Format } from './format.ts'

/** The API of Peekalink's client `peekalink`, which posts `{ "link": … }` as JSON. */
export const peekalink: Format = {
  name: 'peekalink',
  path: '/compat/peekalink',
  methods: ['POST'],
  request: (parameter) => ({ url: parameter('link'), apiKey: null }),
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
}
