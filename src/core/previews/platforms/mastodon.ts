import { MOST_APPS, type Platform } from '../platform.ts'

const REPOSITORY = 'https://github.com/mastodon/mastodon/blob/main/app'

export const MASTODON: Platform = {
  id: 'mastodon',
  name: 'Mastodon',
  mark: 'M',
  ...MOST_APPS,
  title: ['json-ld headline', 'og:title', '<title>'],
  description: ['json-ld description', 'og:description', 'description'],
  image: ['og:image'],
  siteName: ['json-ld publisher', 'og:site_name'],
  author: {
    tags: ['json-ld author', 'og:author', 'og:author:username'],
    prefix: 'By ',
    replacesDescription: true,
  },
  oembed: 'instead of tags',
  lines: ['source', 'title', 'author', 'description'],
  maxLines: { title: 2, description: 1 },
  hasPlaceholder: true,
  place: ({ image }) =>
    image?.size && image.size.width > image.size.height
      ? { layout: 'top', crop: '1.91:1' }
      : { layout: 'left', crop: '1:1' },
  sources: {
    'Order of tags; JSON-LD first': `${REPOSITORY}/lib/link_details_extractor.rb`,
    'oEmbed before tags': `${REPOSITORY}/services/fetch_link_card_service.rb`,
    'Large if wider than high, 1.91:1; else a square; the author instead of the description': `${REPOSITORY}/javascript/mastodon/features/status/components/card.jsx`,
  },
  approximate: 'The date, and a verified author (fediverse:creator), are not shown.',
}
