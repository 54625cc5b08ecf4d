import { ANY_IMAGE, MB, MOST_APPS, OPEN_GRAPH_FIRST, type Platform } from '../platform.ts'

const DOCS = 'https://docs.discord.com/developers/link-previews/overview'

export const DISCORD: Platform = {
  id: 'discord',
  name: 'Discord',
  mark: 'D',
  ...MOST_APPS,
  ...OPEN_GRAPH_FIRST,
  source: 'nothing',
  oembed: 'author and site',
  lines: ['source', 'author', 'title', 'description'],
  maxLines: { title: 0, description: 0 },
  limits: { title: 70, description: 350, unit: 'bytes' },
  imageLimits: {
    ...ANY_IMAGE,
    types: ['image/png', 'image/gif', 'image/jpeg', 'image/webp', 'image/avif'],
  },
  usesTwitterCard: true,
  hasAccent: true,
  maxHtmlBytes: 50 * MB,
  place: ({ twitterCard }) =>
    twitterCard === 'summary_large_image' ? { layout: 'below', crop: 'whole' } : { layout: 'right', crop: 'whole' },
  sources: {
    'Open Graph tags, no scripts, lengths in bytes, 50 MB': DOCS,
    'Border from theme-color': 'https://github.com/discord/discord-api-docs/issues/1593',
    'Short color notation': 'https://mastodawn.com/explore/tag/000abc',
    'Large image with summary_large_image': 'https://github.com/indieweb/bsky.link/issues/20',
    'Author and site name from oEmbed':
      'https://github.com/FxEmbed/FxEmbed/blob/main/src/realms/instagram/routes/oembed.ts',
    'Fallback to Twitter Card tags': 'https://opengraphplus.com/consumers/discord/tags',
  },
  approximate:
    'Discord does not document the order of fallbacks and its use of oEmbed. Component embeds are not shown.',
}
