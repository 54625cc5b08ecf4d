import { MOST_APPS, OPEN_GRAPH_OR_HTML, type Platform } from '../platform.ts'

const REPOSITORY = 'https://github.com/bluesky-social/social-app/blob/main/src'

export const BLUESKY: Platform = {
  id: 'bluesky',
  name: 'Bluesky',
  mark: 'B',
  ...MOST_APPS,
  ...OPEN_GRAPH_OR_HTML,
  lines: ['title', 'description', 'source'],
  maxLines: { title: 3, description: 2, descriptionWithoutImage: 4 },
  place: ({ image }) => ({ layout: image === null ? 'text' : 'top', crop: '1.91:1' }),
  sources: {
    'Image above three lines of title, two of description (four without an image) and the host': `${REPOSITORY}/components/Post/Embed/ExternalEmbed/index.tsx`,
    'Title, description and image from a server of Bluesky': `${REPOSITORY}/lib/link-meta/link-meta.ts`,
  },
  approximate: 'The tags that the server of Bluesky reads are not public.',
}
