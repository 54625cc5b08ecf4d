import { AMAZON, countries, domains, GOOGLE, PINTEREST } from './site-domains.ts'
import type { BuiltInSite } from './site-rule.ts'

/**
 * The cookie of a visitor who rejected everything on the consent page of Google: base64 of a protocol buffer with the
 * kind of the choice (2) and what it allows (0).
 */
const NOTHING_ALLOWED = { SOCS: 'CAISAiAD' }

/** The data of the npm package is-antibot, for walls that no report describes. */
const IS_ANTIBOT = 'microlinkhq/is-antibot/src/providers.json'

/** For sites that respond with 404 to clients with "bot" in their name. It still names urlmeta. */
const NOT_A_BOT = 'Mozilla/5.0 (compatible; urlmeta link preview)'

/**
 * Sites that send unknown clients other pages than they send to browsers, according to public reports. docs/sites.md
 * has the result for each. Titles are compared without case and without distinguishing kinds of dashes.
 */
export const BUILT_IN_SITES: readonly BuiltInSite[] = [
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
          'Log in to Facebook | Facebook',
          'Log into Facebook | Facebook',
          'Facebook - log in or sign up',
          'Log in or sign up to view',
          'Log In or Sign Up to View',
          'Error Facebook',
        ],
        challengeTitles: [
          'You’re Temporarily Blocked',
          "You can't use this feature right now",
          "You can't use this feature at the moment",
        ],
        challengePaths: ['/common/browser.php', '/unsupportedbrowser'],
      },
    },
    sources: ['DocNow/unshrtn#23', 'php-embed/Embed#415', 'ThinkUpLLC/ThinkUp#1282', 'kevinzg/facebook-scraper#1056'],
  },
  {
    rule: {
      hosts: domains('tiktok.com'),
      walls: {
        titles: ['TikTok', 'TikTok - Make Your Day', 'Make Your Day', 'Log in | TikTok'],
        challengeTitles: ['Please wait...', 'tiktok-verify-page'],
      },
    },
    sources: ['dubinc/dub#425', 'sur950/any_link_preview#47', 'dfreelon/pyktok#83', 'davidteather/TikTok-Api#407'],
  },
  {
    rule: { hosts: domains('threads.com', 'threads.net'), walls: { titles: ['Threads', 'Threads • Log in'] } },
    sources: ['Lanternko/discord-social-preview-bot#45', 'Lanternko/discord-social-preview-bot#77'],
  },
  {
    rule: { hosts: countries('pinterest', PINTEREST), walls: { titles: ['Pinterest', 'Pinterest Login'] } },
    sources: ['seregazhuk/php-pinterest-bot#374'],
  },
  {
    rule: { hosts: domains('twitch.tv'), walls: { titles: ['Twitch'] } },
    sources: ['wrycu/toss#7', 'wrycu/toss#25'],
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
    rule: { hosts: ['lnkd.in'], targetLinkMarker: 'data-tracking-control-name="external_url_click"' },
    sources: ['marirs/urlexpand#7', 'RyanDFIR/unfurl#179'],
  },
  {
    rule: {
      hosts: domains('reddit.com', 'redd.it'),
      walls: {
        titles: ['Reddit', 'Reddit - Dive into anything', 'Reddit - The heart of the internet', 'reddit.com: Log in'],
        challengeTitles: [
          'Blocked',
          'Reddit - Please wait for verification',
          'Too Many Requests',
          'reddit.com: over 18?',
        ],
        challengeStatuses: [403, 429],
      },
    },
    sources: [
      'Chatterino/api#416',
      'pubky/pubky-app#2282',
      'linkwarden/linkwarden#447',
      'Tunous/Dawn#406',
      'ikedaosushi/tech-news#3632',
    ],
  },
  {
    rule: {
      hosts: domains('youtube.com', 'youtu.be'),
      walls: {
        titles: ['YouTube', '- YouTube', 'YouTube Music', 'Your browser is deprecated, please upgrade.'],
      },
      consentCookies: NOTHING_ALLOWED,
    },
    sources: [
      'yt-dlp/yt-dlp#7774',
      'friendica/friendica#14621',
      'friendica/friendica#15112',
      'element-hq/synapse#17873',
      'bitbot-irc/bitbot#277',
    ],
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
      hosts: countries('google', GOOGLE),
      walls: { challengePaths: ['/sorry/'] },
      consentCookies: NOTHING_ALLOWED,
    },
    sources: ['yt-dlp/yt-dlp#7774', 'MaxKuehn/zotero-scholar-citations#14'],
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
