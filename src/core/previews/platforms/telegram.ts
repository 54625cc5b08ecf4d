import { MOST_APPS, OPEN_GRAPH_FIRST, type Platform } from '../platform.ts'

export const TELEGRAM: Platform = {
  id: 'telegram',
  name: 'Telegram',
  mark: 'T',
  ...MOST_APPS,
  ...OPEN_GRAPH_FIRST,
  lines: ['source', 'title', 'description'],
  maxLines: { title: 0, description: 0 },
  usesTwitterCard: true,
  place: ({ twitterCard }) =>
    twitterCard === 'summary_large_image' ? { layout: 'below', crop: 'whole' } : { layout: 'right', crop: '1:1' },
  sources: {
    'Site name, title, description and photo, large or small': 'https://core.telegram.org/constructor/webPage',
    'How tags decide the size of the photo': 'https://ref.mtcute.dev/classes/_mtcute_web.index.WebPageMedia',
    'Open Graph before Twitter Card tags; no scripts': 'https://ogproof.veridux.ai/blog/telegram-open-graph-tags',
  },
  approximate:
    'Telegram does not document which tags it reads, when the photo is large, or whether it obeys robots.txt.',
}
