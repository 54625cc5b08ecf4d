import { KB, MOST_APPS, OPEN_GRAPH_FIRST, type Platform } from '../platform.ts'

export const SLACK: Platform = {
  id: 'slack',
  name: 'Slack',
  mark: 'S',
  ...MOST_APPS,
  ...OPEN_GRAPH_FIRST,
  lines: ['source', 'title', 'description'],
  // Not truncated to a number of lines.
  maxLines: { title: 0, description: 0 },
  icon: 'beside source',
  usesTwitterCard: true,
  maxHtmlBytes: 32 * KB,
  place: ({ twitterCard }) =>
    twitterCard === 'summary' ? { layout: 'right', crop: '1:1' } : { layout: 'below', crop: 'whole' },
  sources: {
    'oEmbed, Twitter Card and Open Graph tags': 'https://docs.slack.dev/messaging/unfurling-links-in-messages',
    'Image layout, order of tags': 'https://opengraphplus.com/consumers/slack/tags',
    'Ignores robots.txt': 'https://opengraphplus.com/consumers/slack/crawling',
    'The first 32 KB of the page': 'https://opengraphplus.com/consumers/slack/issues/link-not-unfurling',
  },
  approximate: 'Slack does not document the order of tags, the image layout and the 32 KB. oEmbed is not shown.',
}
