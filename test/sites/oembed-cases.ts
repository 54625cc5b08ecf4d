import { html, json, type Site } from './sites.ts'

const SCRIPTS = '<body><script src="/app.js"></script>'
const YOUTUBE = {
  title: 'Rick Astley - Never Gonna Give You Up',
  author_name: 'Rick Astley',
  provider_name: 'YouTube',
  thumbnail_url: 'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg',
  type: 'video',
}
const FROM_YOUTUBE = {
  title: YOUTUBE.title,
  image: YOUTUBE.thumbnail_url,
  site_name: 'YouTube',
  meta: { author: 'Rick Astley' },
  fetch_method: 'http',
}
const consentPage = () => html('<title>Before you continue to YouTube</title><body><form>Accept all, reject all</form>')

/** The responses of a site to an unknown client and of its oEmbed endpoint, as described in the reports, and the result. */
export interface OembedCase {
  name: string
  url: string
  /** The reports, as `owner/repository#number`. */
  reports: string
  page: Site
  /** Host and path of the endpoint. */
  endpoint: string
  oembed: object
  expected: object
  sources: Record<string, string>
}

const ALL_OEMBED = {
  title: 'oembed title',
  image: 'oembed thumbnail_url',
  site_name: 'oembed provider_name',
  'meta.author': 'oembed author_name',
}

export const OEMBED_CASES: readonly OembedCase[] = [
  {
    name: 'YouTube: a consent page despite the cookie',
    url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    reports: 'itteco/iframely#326, misskey-dev/misskey#7428, yt-dlp/yt-dlp#7774',
    page: (_, url) =>
      url.hostname === 'consent.youtube.com'
        ? consentPage()
        : Response.redirect(`https://consent.youtube.com/m?continue=${encodeURIComponent(url.href)}&gl=DE`),
    endpoint: 'www.youtube.com/oembed',
    oembed: YOUTUBE,
    expected: FROM_YOUTUBE,
    sources: ALL_OEMBED,
  },
  {
    name: 'YouTube: an empty page for data centers',
    url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    reports: 'friendica/friendica#14621, misskey-dev/misskey#10567',
    page: () => html(`<title> - YouTube</title>${SCRIPTS}`),
    endpoint: 'www.youtube.com/oembed',
    oembed: YOUTUBE,
    expected: FROM_YOUTUBE,
    sources: ALL_OEMBED,
  },
  {
    name: 'YouTube: a short link, and 429',
    url: 'https://youtu.be/dQw4w9WgXcQ',
    reports: 'friendica/friendica#14621, misskey-dev/misskey#16131',
    page: (_, url) =>
      url.hostname === 'youtu.be'
        ? Response.redirect(`https://www.youtube.com/watch?v=${url.pathname.slice(1)}`)
        : html('', 429),
    endpoint: 'www.youtube.com/oembed',
    oembed: YOUTUBE,
    expected: FROM_YOUTUBE,
    sources: ALL_OEMBED,
  },
  {
    name: 'TikTok: a shell with the title of the site',
    url: 'https://www.tiktok.com/@scout/video/6718335390845095173',
    reports: 'microlinkhq/metascraper#885, dubinc/dub#3451',
    page: () => html(`<title>TikTok - Make Your Day</title>${SCRIPTS}`),
    endpoint: 'www.tiktok.com/oembed',
    oembed: {
      title: 'Scramble up ur name & I’ll try to guess it😍❤️ #foryoupage',
      author_name: 'Scout, Suki & Stella',
      provider_name: 'TikTok',
      thumbnail_url: 'https://p16-sign.tiktokcdn-us.com/obj/x?x-expires=1&x-signature=V9%3D',
      type: 'video',
    },
    expected: {
      title: 'Scramble up ur name & I’ll try to guess it😍❤️ #foryoupage',
      image: 'https://p16-sign.tiktokcdn-us.com/obj/x?x-expires=1&x-signature=V9%3D',
      site_name: 'TikTok',
      meta: { author: 'Scout, Suki & Stella' },
    },
    sources: ALL_OEMBED,
  },
  {
    name: 'Reddit: blocked by network security',
    url: 'https://www.reddit.com/r/pics/comments/92dd8/test_post_please_ignore/',
    reports: 'StanleyMasinde/Lnky#99, humhub/humhub#6794',
    page: () => html("<title>Blocked</title><body><h1>You've been blocked by network security.</h1>", 403),
    endpoint: 'www.reddit.com/oembed',
    oembed: {
      author_name: 'digicat',
      provider_name: 'reddit',
      title: 'test post please ignore',
      type: 'rich',
      html: '<blockquote class="reddit-embed-bq"><a href="https://www.reddit.com/">x</a></blockquote>',
    },
    expected: { title: 'test post please ignore', site_name: 'reddit', meta: { author: 'digicat' } },
    sources: {
      title: 'oembed title',
      site_name: 'oembed provider_name',
      'meta.author': 'oembed author_name',
    },
  },
  {
    name: 'Spotify: the web player as a shell',
    url: 'https://open.spotify.com/track/4cOdK2wGLETKBW3PvgPWqT',
    reports: 'FreeFeed/freefeed-react-client#1198, spotify/web-api#1579',
    page: () => html(`<title>Spotify – Web Player</title><body><div id="main"></div><script src="/a.js"></script>`),
    endpoint: 'open.spotify.com/oembed',
    oembed: {
      title: 'Never Gonna Give You Up',
      provider_name: 'Spotify',
      thumbnail_url: 'https://image-cdn-ak.spotifycdn.com/image/ab67616d00001e02',
      type: 'rich',
    },
    expected: {
      title: 'Never Gonna Give You Up',
      image: 'https://image-cdn-ak.spotifycdn.com/image/ab67616d00001e02',
      site_name: 'Spotify',
    },
    sources: {
      title: 'oembed title',
      image: 'oembed thumbnail_url',
      site_name: 'oembed provider_name',
    },
  },
  {
    name: 'Vimeo: a captcha for data centers',
    url: 'https://vimeo.com/70591644',
    reports: 'spicywebau/craft-embedded-assets#264, php-embed/Embed#326',
    page: () => html('<title>Vimeo / CAPTCHA Challenge</title><body>Please verify that you are a human', 403),
    endpoint: 'vimeo.com/api/oembed.json',
    oembed: {
      title: 'The Mountain',
      author_name: 'Terje',
      provider_name: 'Vimeo',
      thumbnail_url: 'https://i.vimeocdn.com/video/1_295x166',
      description: 'Not standard',
      type: 'video',
    },
    expected: {
      title: 'The Mountain',
      image: 'https://i.vimeocdn.com/video/1_295x166',
      site_name: 'Vimeo',
      meta: { author: 'Terje' },
    },
    sources: ALL_OEMBED,
  },
  {
    name: 'SoundCloud: neither title nor image',
    url: 'https://soundcloud.com/artist/track',
    reports: 'OP-Engineering/link-preview-js#109, soundcloud/api#41',
    page: () => html(`<title></title>${SCRIPTS}`),
    endpoint: 'soundcloud.com/oembed',
    oembed: {
      title: 'Track by Artist',
      author_name: 'Artist',
      provider_name: 'SoundCloud',
      thumbnail_url: 'https://i1.sndcdn.com/artworks-1-t500x500.jpg',
      type: 'rich',
    },
    expected: { title: 'Track by Artist', image: 'https://i1.sndcdn.com/artworks-1-t500x500.jpg' },
    sources: ALL_OEMBED,
  },
  {
    name: 'Flickr: a photo, which is its own image; XML by default',
    url: 'https://www.flickr.com/photos/bees/2341623661/',
    reports: 'humhub/humhub#680, php-embed/Embed#351',
    page: () => html('<title></title>', 403),
    endpoint: 'www.flickr.com/services/oembed/',
    oembed: {
      type: 'photo',
      title: 'ZB8T0193',
      author_name: 'bees',
      provider_name: 'Flickr',
      url: 'https://live.staticflickr.com/3123/2341623661_7c99f48bbf_b.jpg',
    },
    expected: { title: 'ZB8T0193', image: 'https://live.staticflickr.com/3123/2341623661_7c99f48bbf_b.jpg' },
    sources: { ...ALL_OEMBED, image: 'oembed url' },
  },
  {
    name: 'X: a page that asks for JavaScript, and a post without a title',
    url: 'https://x.com/arnaudmez7/status/1284848614062338053',
    reports: 'matrix-org/synapse#10819, matrix-org/synapse#8022, matrix-org/synapse#7643',
    page: () => html(`<body><noscript>JavaScript is not available.</noscript><div id="react-root"></div>${SCRIPTS}`),
    endpoint: 'publish.x.com/oembed',
    oembed: {
      url: 'https://twitter.com/arnaudmez7/status/1284848614062338053',
      author_name: 'The Uncle Mez',
      provider_name: 'Twitter',
      type: 'rich',
      html:
        '<blockquote class="twitter-tweet"><p lang="en" dir="ltr">I Absolutely like the new <a href="https://x">' +
        '@element_hq</a> <br>Beautiful work &amp; fast!</p>&mdash; The Uncle Mez (@arnaudmez7) ' +
        '<a href="https://x">July 19, 2020</a></blockquote>\n<script async src="https://x/widgets.js"></script>\n',
    },
    expected: {
      title: 'The Uncle Mez',
      description: 'I Absolutely like the new @element_hq Beautiful work & fast!',
      site_name: 'Twitter',
      meta: { author: 'The Uncle Mez' },
    },
    sources: {
      title: 'oembed author_name',
      description: 'oembed html',
      site_name: 'oembed provider_name',
      'meta.author': 'oembed author_name',
    },
  },
]

/** The hosts of a case, including the host of its endpoint. */
export function hostsOf({ url, endpoint }: OembedCase): string[] {
  const [endpointHost = ''] = endpoint.split('/', 1)
  return [...new Set([new URL(url).hostname, endpointHost, 'www.youtube.com', 'consent.youtube.com'])]
}

/** The responses of the hosts of a case. */
export function siteOf({ page, endpoint, oembed }: OembedCase): Site {
  return (request, url) => (`${url.host}${url.pathname}` === endpoint ? json(oembed) : page(request, url))
}
