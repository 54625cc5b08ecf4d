import { MOST_APPS, OPEN_GRAPH_FIRST, type Platform } from '../platform.ts'

export const TEAMS: Platform = {
  id: 'teams',
  name: 'Teams',
  mark: 'Te',
  ...MOST_APPS,
  ...OPEN_GRAPH_FIRST,
  lines: ['title', 'description', 'source'],
  maxLines: { title: 2, description: 2 },
  place: () => ({ layout: 'left', crop: '1:1' }),
  sources: {
    'Order of tags; no scripts': 'https://www.tryunfurl.com/microsoft-teams-link-preview.html',
    'No scripts; public pages only': 'https://opengraphplus.com/consumers/teams/crawling',
  },
  approximate: 'Microsoft documents only previews of apps, not of pages.',
}
