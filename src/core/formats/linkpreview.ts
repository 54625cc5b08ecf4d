import type { Format, MetadataResult } from './format.ts'

/** https://docs.linkpreview.net, whose clients send a query or a form. */
export const linkpreview: Format = {
  name: 'linkpreview',
  path: '/compat/linkpreview',
  methods: ['GET', 'POST'],
  keyHeader: 'X-Linkpreview-Api-Key',
  request: (parameter) => ({ url: parameter('q'), apiKey: parameter('key') }),
  response(result, parameter) {
    const { url, title = '', description = '', image = '' } = result
    return { title, description, image, url, ...additionalFields(result, parameter('fields')?.split(',') ?? []) }
  },
  failure: ({ status, message }) => ({ title: '', description: message, image: '', url: '', error: status }),
}

function additionalFields({ canonical_url, locale, site_name, favicon }: MetadataResult, requested: readonly string[]) {
  const values = { canonical: canonical_url, locale, site_name, icon: favicon }
  return Object.fromEntries(Object.entries(values).filter(([name]) => requested.includes(name)))
}
