import { ANY_IMAGE, NO_TEXT_LIMITS, type Platform } from '../platform.ts'

const REPOSITORY = 'https://github.com/bluesky-social/social-app/blob/main/src'

export const BLUESKY: Platform = {
  id: 'bluesky',
  name: 'Bluesky',
  mark: 'B',
  title: ['og:title', '<title>'],
  description: ['og:description', 'description'],
  image: ['og:image', 'og:image:url', 'og:image:secure_url'],
  siteName: [],
  source: 'host',
  lines: ['title', 'description', 'source'],
  maxLines: { title: 3, description: 2 },
  limits: NO_TEXT_LIMITS,
  imageLimits: ANY_IMAGE,
  icon: 'never',
  hasPlaceholder: false,
  usesTwitterCard: false,
  hasAccent: false,
  runsScripts: false,
  maxHtmlBytes: null,
  place: ({ image }) => ({ layout: image === null ? 'text' : 'top', crop: '1.91:1' }),
  sources: [
    {
      rule: 'Image above three lines of title, two of description and the host',
      url: `${REPOSITORY}/components/Post/Embed/ExternalEmbed/index.tsx`,
    },
    { rule: 'Title, description and image from a server of Bluesky', url: `${REPOSITORY}/lib/link-meta/link-meta.ts` },
  ],
  approximate: 'The tags that the server of Bluesky reads are not public.',
}
