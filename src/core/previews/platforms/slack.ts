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
  sources: [
    {
      rule: 'oEmbed, Twitter Card and Open Graph tags',
      url: 'https://docs.slack.dev/messaging/unfurling-links-in-messages',
    },
    { rule: 'Image layout, order of tags', url: 'https://opengraphplus.com/consumers/slack/tags' },
    { rule: 'Ignores robots.txt', url: 'https://opengraphplus.com/consumers/slack/crawling' },
    { rule: 'The first 32 KB of the page', url: 'https://opengraphplus.com/consumers/slack/issues/link-not-unfurling' },
  ],
  approximate: 'Slack does not document the order of tags, the image layout and the 32 KB. oEmbed is not shown.',
}
