// TypeBox itself, and not Elysia's dialect of it, whose numbers and booleans accept text as well.
import { Type as t } from '@sinclair/typebox'

import type { FetchMethod } from '../core/metadata.ts'
import { FETCH_TIMEOUT_MS, MAX_URL_CHARACTERS } from '../core/limits.ts'

const text = (description: string, example: string) => t.Optional(t.String({ description, examples: [example] }))

export const MetadataQuery = t.Object({
  url: t.String({
    format: 'uri',
    maxLength: MAX_URL_CHARACTERS,
    description:
      'The page to read. Must include `http://` or `https://`. Percent-encode it, or the part after its first `&` is lost.',
    examples: ['https://example.com/article'],
  }),
  timeout: t.Optional(
    t.Integer({
      minimum: FETCH_TIMEOUT_MS.minimum,
      maximum: FETCH_TIMEOUT_MS.maximum,
      default: FETCH_TIMEOUT_MS.default,
      description: 'How long the fetch may take, redirects and name look-ups included, in milliseconds.',
    }),
  ),
  cache: t.Optional(
    t.Boolean({
      default: true,
      description:
        'When `false`, the cached result is not read and the page is fetched anew; the fresh result is cached.',
    }),
  ),
})

const TwitterCard = t.Object(
  {
    card: text('Card type.', 'summary_large_image'),
    site: text("The publisher's handle.", '@example'),
    creator: text("The author's handle.", '@jo'),
  },
  { description: 'Omitted when the page has no social card tags.' },
)

const MetaDetails = t.Object(
  {
    author: text('Author, or authors separated by commas.', 'Jo Doe'),
    published_time: text('As the page wrote it.', '2026-11-01T08:00:00Z'),
    modified_time: text('As the page wrote it.', '2026-11-02T09:30:00Z'),
  },
  { description: 'Omitted when none of its fields is known.' },
)

export const MetadataResponse = t.Object(
  {
    url: t.String({ description: 'The URL as requested.', examples: ['https://example.com/article'] }),
    canonical_url: text('The canonical URL, if the page names one.', 'https://example.com/article'),
    title: text('From og:title, or the title of the page.', 'An article'),
    description: text('From og:description, or the meta description.', 'What the article says.'),
    image: text('Primary image, from og:image.', 'https://example.com/cover.png'),
    favicon: text('The icon of the page or its site.', 'https://example.com/favicon.ico'),
    site_name: text('From og:site_name.', 'Example'),
    type: text('From og:type.', 'article'),
    locale: text('From og:locale, or the language of the page.', 'en_US'),
    twitter_card: t.Optional(TwitterCard),
    meta: t.Optional(MetaDetails),
    fetched_at: t.String({
      format: 'date-time',
      description: 'When the metadata was fetched.',
      examples: ['2026-11-20T12:00:00.000Z'],
    }),
    fetch_method: t.Unsafe<FetchMethod>({
      type: 'string',
      enum: ['http', 'headless'],
      description: 'How the page was fetched.',
    }),
    response_time_ms: t.Integer({
      format: 'int64',
      minimum: 0,
      description: 'How long the fetch took, in milliseconds.',
      examples: [184],
    }),
  },
  { additionalProperties: false },
)

export const ErrorResponse = t.Object({ error: t.String({ description: 'What went wrong, for people to read.' }) })
