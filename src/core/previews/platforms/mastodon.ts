import { ANY_IMAGE, NO_TEXT_LIMITS, type Platform } from '../platform.ts'

const REPOSITORY = 'https://github.com/mastodon/mastodon/blob/main/app'

export const MASTODON: Platform = {
  id: 'mastodon',
  name: 'Mastodon',
  mark: 'M',
  title: ['json-ld headline', 'og:title', '<title>'],
  description: ['json-ld description', 'og:description', 'description'],
  image: ['og:image'],
  siteName: ['json-ld publisher', 'og:site_name'],
  source: 'host',
  lines: ['source', 'title', 'description'],
  maxLines: { title: 2, description: 1 },
  limits: NO_TEXT_LIMITS,
  imageLimits: ANY_IMAGE,
  icon: 'never',
  hasPlaceholder: true,
  usesTwitterCard: false,
  hasAccent: false,
  runsScripts: false,
  maxHtmlBytes: null,
  place: ({ image }) =>
    image?.size && image.size.width > image.size.height
      ? { layout: 'top', crop: '1.91:1' }
      : { layout: 'left', crop: '1:1' },
  sources: [
    { rule: 'Order of tags; JSON-LD first', url: `${REPOSITORY}/lib/link_details_extractor.rb` },
    {
      rule: 'Large if wider than high, 1.91:1; else a square',
      url: `${REPOSITORY}/javascript/mastodon/features/status/components/card.jsx`,
    },
  ],
  approximate: '',
}
