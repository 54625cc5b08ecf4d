import { ANY_IMAGE, NO_TEXT_LIMITS, OPEN_GRAPH_FIRST, type Platform } from '../platform.ts'

export const TEAMS: Platform = {
  id: 'teams',
  name: 'Teams',
  mark: 'Te',
  ...OPEN_GRAPH_FIRST,
  source: 'host',
  lines: ['title', 'description', 'source'],
  maxLines: { title: 2, description: 2 },
  limits: NO_TEXT_LIMITS,
  imageLimits: ANY_IMAGE,
  icon: 'never',
  hasPlaceholder: false,
  usesTwitterCard: false,
  hasAccent: false,
  runsScripts: false,
  maxHtmlBytes: null,
  place: () => ({ layout: 'left', crop: '1:1' }),
  sources: [
    { rule: 'Order of tags; no scripts', url: 'https://www.tryunfurl.com/microsoft-teams-link-preview.html' },
    { rule: 'No scripts; public pages only', url: 'https://opengraphplus.com/consumers/teams/crawling' },
  ],
  approximate: 'Microsoft documents previews of apps only, not those of pages.',
}
