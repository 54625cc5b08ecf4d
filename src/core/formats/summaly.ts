import type { Format } from './format.ts'

/** https://github.com/misskey-dev/summaly. The key is in the path, because Misskey appends its own query to the URL. */
export const summaly: Format = {
  name: 'summaly',
  path: '/compat/summaly/:key',
  request: (parameter) => ({ url: parameter('url'), apiKey: parameter('key'), language: parameter('lang') }),
  response: ({ url, title, description, image, favicon, site_name, twitter_card }) => ({
    title: title ?? null,
    icon: favicon ?? null,
    description: description ?? null,
    thumbnail: image ?? null,
    thumbnailStyle: styleOf(twitter_card?.card),
    sitename: site_name ?? null,
    player: { url: null, width: null, height: null, allow: [] },
    activityPub: null,
    fediverseCreator: null,
    url,
  }),
  failure: ({ message }) => ({ error: message }),
}

function styleOf(card: string | undefined) {
  return card === 'summary' || card === 'summary_large_image' ? card : null
}
