import type { BuiltInSite } from './site-rule.ts'

/** A domain and all names below it. */
function domains(...names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `*.${name}`])
}

/** One name in several countries. */
function countries(name: string, suffixes: string): string[] {
  return domains(...suffixes.split(' ').map((suffix) => `${name}.${suffix}`))
}

/** The suffixes of Amazon's shops. */
const AMAZON = 'com ca com.mx com.br co.uk de fr it es nl se pl be com.tr ae sa eg in co.jp sg com.au ie'

/** The data of npm's is-antibot, for what no report describes. */
const IS_ANTIBOT = 'microlinkhq/is-antibot/src/providers.json'

/** Some sites answer 404 to clients with "bot" in their name; this name is as honest. */
const NOT_A_BOT = 'Mozilla/5.0 (compatible; urlmeta link preview)'

/**
 * Sites that send unknown clients something else than their pages, from public reports. docs/sites.md says for each what
 * is answered. Titles are compared without regard to case and to the kind of dash.
 */
export const SITE_TABLE: readonly BuiltInSite[] = [
  {
    rule: {
      hosts: domains('x.com', 'twitter.com'),
      walls: {
        titles: [
          'X',
          'Twitter',
          'Log in to X',
          'Log in to X / X',
          'Login on Twitter',
          'X. It’s what’s happening / X',
          'Twitter. It’s what’s happening / Twitter',
        ],
      },
    },
    sources: ['meyt/linkpreview#21', 'mastodon/mastodon#14248', 'wireapp/wire-ios-link-preview#59'],
  },
  {
    rule: { hosts: ['t.co'], userAgent: NOT_A_BOT },
    sources: ['element-hq/synapse#13120', 'mozilla-mobile/fenix#4003'],
  },
  {
    rule: {
      hosts: domains('instagram.com'),
      walls: {
        titles: ['Instagram', 'Login • Instagram', 'Log in • Instagram'],
        challengeStatuses: [429],
        challengePaths: ['/challenge/', '/accounts/suspended/'],
      },
    },
    sources: ['OP-Engineering/link-preview-js#89', 'microlinkhq/is-antibot#77', 'microlinkhq/is-antibot#78'],
  },
  {
    rule: {
      hosts: domains('facebook.com', 'fb.com', 'fb.watch', 'fb.me'),
      walls: {
        titles: [
          'Facebook',
          'Log in to Facebook',
          'Log into Facebook',
          'Facebook - log in or sign up',
          'Log in or sign up to view',
          'Log In or Sign Up to View',
          'Error Facebook',
        ],
        challengePaths: ['/common/browser.php', '/unsupportedbrowser'],
      },
    },
    sources: ['DocNow/unshrtn#23', 'php-embed/Embed#415', 'ThinkUpLLC/ThinkUp#1282'],
  },
  {
    rule: {
      hosts: domains('tiktok.com'),
      walls: { titles: ['TikTok', 'TikTok - Make Your Day', 'Make Your Day', 'Log in | TikTok'] },
    },
    sources: ['dubinc/dub#425', 'sur950/any_link_preview#47'],
  },
  {
    rule: {
      hosts: domains('linkedin.com'),
      walls: {
        titles: ['LinkedIn', 'LinkedIn: Log In or Sign Up', 'Sign Up | LinkedIn', 'LinkedIn Login, Sign in | LinkedIn'],
        challengeTitles: ['Security Verification | LinkedIn'],
      },
    },
    sources: ['dusterio/link-preview#14', 'neosmart/UrlPreview#3', 'simonfrey/unshort.link#11'],
  },
  {
    rule: { hosts: ['lnkd.in'], exitLinkMark: 'data-tracking-control-name="external_url_click"' },
    sources: ['marirs/urlexpand#7', 'RyanDFIR/unfurl#179'],
  },
  {
    rule: {
      hosts: domains('reddit.com', 'redd.it'),
      walls: {
        titles: ['Reddit', 'Reddit - Dive into anything', 'Reddit - The heart of the internet', 'reddit.com: Log in'],
        challengeTitles: ['Blocked', 'Reddit - Please wait for verification', 'Too Many Requests'],
        challengeStatuses: [403, 429],
      },
    },
    sources: ['Chatterino/api#416', 'pubky/pubky-app#2282', 'linkwarden/linkwarden#447'],
  },
  {
    rule: {
      hosts: domains('youtube.com', 'youtu.be'),
      walls: { titles: ['YouTube', '- YouTube'] },
    },
    sources: ['friendica/friendica#14621', 'friendica/friendica#15112', 'element-hq/synapse#17873'],
  },
  {
    rule: {
      hosts: domains('spotify.com', 'spotify.link'),
      walls: {
        titles: [
          'Spotify',
          'Spotify - Web Player',
          'Spotify - Web Player: Music for everyone',
          'Login - Spotify',
          'Unsupported Browser',
        ],
      },
    },
    sources: ['Raptor123471/DingoLingo#86', 'tomasmcm/SpotiWeb#31', 'traPtitech/traQ#2032'],
  },
  {
    rule: {
      hosts: [...countries('amazon', AMAZON), ...domains('amzn.to', 'amzn.eu', 'a.co')],
      walls: {
        titles: AMAZON.split(' ').map((suffix) => `Amazon.${suffix}`),
        challengeTitles: [
          'Robot Check',
          'Bot Check',
          'Server Busy',
          'Sorry! Something went wrong!',
          '503 - Service Unavailable Error',
        ],
        challengeStatuses: [503],
        challengePaths: ['/errors/validateCaptcha'],
      },
    },
    sources: ['jshemas/openGraphScraper#225', 'jina-ai/reader#108', 'PagePortrait/Report#52', 'jacktuck/unfurl#77'],
  },
  {
    rule: {
      hosts: domains('bloomberg.com', 'bloom.bg'),
      walls: { challengeTitles: ['Bloomberg - Are you a robot?'], challengePaths: ['/tosv2.html'] },
    },
    sources: ['ikedaosushi/tech-news#20135', 'dropod/issues#16718'],
  },
  {
    rule: {
      hosts: countries('google', 'com de fr co.uk it es nl pl co.jp ca com.au com.br co.in'),
      walls: { challengePaths: ['/sorry/'] },
    },
    sources: ['MaxKuehn/zotero-scholar-citations#14'],
  },
  {
    rule: {
      hosts: domains('weibo.com', 'weibo.cn'),
      walls: { challengeTitles: ['Sina Visitor System'] },
    },
    sources: ['dropod/issues#17696'],
  },
  {
    rule: {
      hosts: domains('aliexpress.com', 'aliexpress.us'),
      walls: { challengePaths: ['/_____tmd_____/punish'] },
    },
    sources: [IS_ANTIBOT],
  },
  {
    rule: {
      hosts: domains('dribbble.com', 'houzz.com'),
      walls: { challengeStatuses: [403, 429] },
    },
    sources: ['microlinkhq/is-antibot#77', IS_ANTIBOT],
  },
  {
    rule: { hosts: domains('walmart.com'), walls: { challengePaths: ['/blocked'] } },
    sources: ['microlinkhq/is-antibot#70'],
  },
]
