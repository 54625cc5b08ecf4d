import type { BuiltInSite } from './site-rule.ts'

/** A domain and all names below it. */
function domains(...names: readonly string[]): string[] {
  return names.flatMap((name) => [name, `*.${name}`])
}

/** The domains of one name in several countries. */
function countries(name: string, suffixes: string): string[] {
  return domains(...suffixes.split(' ').map((suffix) => `${name}.${suffix}`))
}

/** The suffixes of Amazon's shops. */
const AMAZON = 'com ca com.mx com.br co.uk de fr it es nl se pl be com.tr ae sa eg in co.jp sg com.au ie'

/** The suffixes of Google's domains: https://www.google.com/supported_domains. */
const GOOGLE = [
  'com ad ae al am as at az ba be bf bg bi bj bs bt by ca cat cd cf cg ch ci cl cm cn cv cz de dj dk dm dz ee es fi fm fr',
  'ga ge gg gl gm gr gy hn hr ht hu ie im iq is it je jo kg ki kz la li lk lt lu lv md me mg mk ml mn mu mv mw ne nl no nr',
  'nu pl pn ps pt ro rs ru rw sc se sh si sk sm sn so sr st td tg tl tm tn to tt vu ws',
  'co.ao co.bw co.ck co.cr co.id co.il co.in co.jp co.ke co.kr co.ls co.ma co.mz co.nz co.th co.tz co.ug co.uk co.uz co.ve',
  'co.vi co.za co.zm co.zw com.af com.ag com.ar com.au com.bd com.bh com.bn com.bo com.br com.bz com.co com.cu com.cy',
  'com.do com.ec com.eg com.et com.fj com.gh com.gi com.gt com.hk com.jm com.kh com.kw com.lb com.ly com.mm com.mt com.mx',
  'com.my com.na com.ng com.ni com.np com.om com.pa com.pe com.pg com.ph com.pk com.pr com.py com.qa com.sa com.sb com.sg',
  'com.sl com.sv com.tj com.tr com.tw com.ua com.uy com.vc com.vn',
].join(' ')

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
          'Log in to Facebook | Facebook',
          'Log into Facebook | Facebook',
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
      consentCookies: NOTHING_ALLOWED,
    },
    sources: [
      'yt-dlp/yt-dlp#7774',
      'friendica/friendica#14621',
      'friendica/friendica#15112',
      'element-hq/synapse#17873',
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
