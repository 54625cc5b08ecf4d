import type { SiteCase } from './site-case.ts'
import { html, json, isBot, isBrowser, redirectTo, tags, type Reply, type Site } from './sites.ts'

/** A site's cases without its name. */
type Case = Omit<SiteCase, 'site'>

const site = (name: string, cases: readonly Case[]): SiteCase[] => cases.map((one) => ({ site: name, ...one }))

const always =
  (reply: Reply): Site =>
  () =>
    reply
const SCRIPT = '<script src="/app.js"></script>'
const shell = (title: string) => html(`<!doctype html><title>${title}</title><body><div id="root"></div>${SCRIPT}`)
const FORM = '<form><input name="user"><input type="password" name="password"></form>'
const longText = 'A sentence of the page that people came to read. '.repeat(40)
const answered = (title: string, label = 'og:title') => ({
  metadata: { title, fetch_method: 'http' },
  provenance: { title: label },
})

const X_NO_SCRIPT = html(
  `<!doctype html><title>JavaScript is not available.</title><h1>JavaScript is not available.</h1><p>We’ve detected that
  JavaScript is disabled in this browser. Please enable JavaScript or switch to a supported browser.</p>${SCRIPT}`,
)
const X_POST = tags('Jo on X: A post', 'X (formerly Twitter)')

const X = site('X', [
  {
    name: 'tags for clients that call themselves a bot',
    url: 'https://x.com/jo/status/1',
    doubles: { 'x.com': (request) => (isBot(request) ? X_POST : X_NO_SCRIPT) },
    expected: { ...answered('Jo on X: A post'), requested: ['https://x.com/jo/status/1'] },
    sources: ['mastodon/mastodon#14248', 'matrix-org/synapse#11985', 'wireapp/wire-ios-link-preview#59'],
  },
  {
    name: 'a page for browsers without JavaScript is not the post',
    url: 'https://x.com/jo/status/1',
    doubles: { 'x.com': always(X_NO_SCRIPT) },
    expected: { blockedBy: 'login' },
    sources: ['meyt/linkpreview#21', 'meyt/linkpreview#18'],
  },
  {
    name: 'the same page as a home page has no title',
    url: 'https://x.com/',
    doubles: { 'x.com': always(X_NO_SCRIPT) },
    expected: { metadata: { fetch_method: 'http' }, lacks: ['title'] },
    sources: ['meyt/linkpreview#21'],
  },
  {
    name: 'the mobile host leads to the post',
    url: 'https://mobile.twitter.com/jo/status/1',
    doubles: {
      'mobile.twitter.com': (_, url) => redirectTo(`https://x.com${url.pathname}`, 301),
      'x.com': (request) => (isBot(request) ? X_POST : X_NO_SCRIPT),
    },
    expected: {
      ...answered('Jo on X: A post'),
      requested: ['https://mobile.twitter.com/jo/status/1', 'https://x.com/jo/status/1'],
    },
    sources: ['mastodon/mastodon#14248'],
  },
])

const SHORT_PAGE = html(
  String.raw`<head><noscript><META http-equiv="refresh" content="0;URL=https://news.test/a"></noscript>` +
    String.raw`<title>https://news.test/a</title></head>` +
    String.raw`<script>window.opener = null; location.replace("https:\/\/news.test\/a")</script>`,
)
const NEWS = always(tags('The news', 'News'))

const T_CO = site('t.co', [
  {
    name: 'a page that redirects by script, and 404 for bots',
    url: 'https://t.co/abc',
    doubles: { 't.co': (request) => (isBot(request) ? html('', 404) : SHORT_PAGE), 'news.test': NEWS },
    expected: { ...answered('The news'), requested: ['https://t.co/abc', 'https://news.test/a'] },
    sources: ['element-hq/synapse#13120', 'mozilla-mobile/fenix#4003', 'sparklemotion/mechanize#294'],
  },
  {
    name: 'the script alone',
    url: 'https://t.co/abc',
    doubles: {
      't.co': always(html(String.raw`<script>location.replace("https:\/\/news.test\/a")</script>`)),
      'news.test': NEWS,
    },
    expected: { ...answered('The news'), requested: ['https://t.co/abc', 'https://news.test/a'] },
    sources: ['mozilla-mobile/fenix#4003'],
  },
  {
    name: 'a redirect for clients other than browsers',
    url: 'https://t.co/abc',
    doubles: { 't.co': always(redirectTo('https://news.test/a', 301)), 'news.test': NEWS },
    expected: { ...answered('The news'), requested: ['https://t.co/abc', 'https://news.test/a'] },
    sources: ['pilhuhn/ZwitscherA#54'],
  },
])

const INSTAGRAM_LOGIN = html(
  `<!doctype html><title>Login • Instagram</title><meta name="description" content="Welcome back to Instagram. Sign in to
  check out what your friends have been capturing.">${FORM}${SCRIPT}`,
)

const INSTAGRAM = site('Instagram', [
  {
    name: 'tags',
    url: 'https://www.instagram.com/p/Cx1/',
    doubles: { 'www.instagram.com': always(tags('Jo on Instagram: A picture', 'Instagram')) },
    expected: answered('Jo on Instagram: A picture'),
    sources: ['OP-Engineering/link-preview-js#89'],
  },
  {
    name: 'a redirect to its login page',
    url: 'https://www.instagram.com/p/Cx1/',
    doubles: {
      'www.instagram.com': (_, url) =>
        url.pathname === '/accounts/login/' ? INSTAGRAM_LOGIN : redirectTo(`/accounts/login/?next=${url.pathname}`),
    },
    expected: { blockedBy: 'login' },
    sources: ['OP-Engineering/link-preview-js#89', 'php-embed/Embed#410', 'microlinkhq/is-antibot#78'],
  },
  {
    name: 'its login page at the requested URL',
    url: 'https://www.instagram.com/p/Cx1/',
    doubles: { 'www.instagram.com': always(INSTAGRAM_LOGIN) },
    expected: { blockedBy: 'login' },
    sources: ['OP-Engineering/link-preview-js#89'],
  },
  {
    name: 'its login page in another language, with og: tags',
    url: 'https://www.instagram.com/p/Cx1/',
    doubles: { 'www.instagram.com': always(tags('Connexion • Instagram', 'Instagram')) },
    expected: { blockedBy: 'login' },
    sources: ['OP-Engineering/link-preview-js#89'],
  },
  {
    name: 'its login page, if that was requested',
    url: 'https://www.instagram.com/accounts/login/',
    doubles: { 'www.instagram.com': always(INSTAGRAM_LOGIN) },
    expected: answered('Login • Instagram', 'title element'),
    sources: ['OP-Engineering/link-preview-js#89'],
  },
  {
    name: 'its shell with its own name as the title',
    url: 'https://www.instagram.com/jo/',
    doubles: { 'www.instagram.com': always(shell('Instagram')) },
    expected: { blockedBy: 'login' },
    sources: ['microlinkhq/is-antibot#78'],
  },
  {
    name: 'a redirect to its home page',
    url: 'https://www.instagram.com/jo/',
    doubles: {
      'www.instagram.com': (_, url) => (url.pathname === '/' ? shell('Instagram') : redirectTo('/')),
    },
    expected: { blockedBy: 'login' },
    sources: ['microlinkhq/is-antibot#78'],
  },
  {
    name: 'its home page',
    url: 'https://www.instagram.com/',
    doubles: { 'www.instagram.com': always(shell('Instagram')) },
    expected: answered('Instagram', 'title element'),
    sources: ['microlinkhq/is-antibot#78'],
  },
  {
    name: 'an empty 429 for data centers',
    url: 'https://www.instagram.com/jo/',
    doubles: { 'www.instagram.com': always(html('', 429)) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['microlinkhq/is-antibot#77'],
  },
])

const FACEBOOK = site('Facebook', [
  {
    name: 'too many requests, with 200',
    url: 'https://www.facebook.com/jo/posts/1',
    doubles: {
      'www.facebook.com': always(html('<title>You’re Temporarily Blocked</title><p>You’ve been going too fast.')),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['kevinzg/facebook-scraper#1056'],
  },
  {
    name: 'tags',
    url: 'https://www.facebook.com/jo/posts/1',
    doubles: { 'www.facebook.com': always(tags('Jo: a post', 'Facebook')) },
    expected: answered('Jo: a post'),
    sources: ['php-embed/Embed#415'],
  },
  {
    name: 'a redirect to its login page, in the language of the visitor',
    url: 'https://www.facebook.com/jo/posts/1',
    doubles: {
      'www.facebook.com': (_, url) =>
        url.pathname === '/login/'
          ? html(`<title>Aanmelden bij Facebook</title><meta name="description" content="Meld je aan.">${FORM}`)
          : redirectTo(`/login/?next=${encodeURIComponent(url.href)}`),
    },
    expected: { blockedBy: 'login' },
    sources: ['DocNow/unshrtn#23', 'php-embed/Embed#415'],
  },
  {
    name: 'a redirect that says the browser is unknown',
    url: 'https://www.facebook.com/photo.php?fbid=1',
    doubles: {
      'www.facebook.com': (_, url) =>
        url.pathname === '/common/browser.php' ? html(longText) : redirectTo('/common/browser.php'),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['ThinkUpLLC/ThinkUp#1282'],
  },
  {
    name: 'fb.watch leads to the video',
    url: 'https://fb.watch/abc/',
    doubles: {
      'fb.watch': always(redirectTo('https://www.facebook.com/watch/?v=1')),
      'www.facebook.com': always(tags('A video', 'Facebook Watch')),
    },
    expected: { ...answered('A video'), requested: ['https://fb.watch/abc/', 'https://www.facebook.com/watch/?v=1'] },
    sources: ['php-embed/Embed#415'],
  },
  {
    name: 'a shared link, behind two hosts, to a post for members',
    url: 'https://bit.ly/36inqd5',
    doubles: {
      'bit.ly': always(redirectTo('https://www.facebook.com/museum/posts/2', 301)),
      'www.facebook.com': (_, url) =>
        url.pathname === '/login/' ? html(FORM) : redirectTo(`/login/?next=${encodeURIComponent(url.href)}`),
    },
    expected: { blockedBy: 'login' },
    sources: ['DocNow/unshrtn#23'],
  },
])

const THREADS = site('Threads', [
  {
    name: 'tags',
    url: 'https://www.threads.net/@jo/post/1',
    doubles: {
      'www.threads.net': always(redirectTo('https://www.threads.com/@jo/post/1', 301)),
      'www.threads.com': always(tags('Jo (@jo) on Threads', 'Threads')),
    },
    expected: answered('Jo (@jo) on Threads'),
    sources: ['Lanternko/discord-social-preview-bot#45'],
  },
  {
    name: 'its login page at the requested URL, with a description',
    url: 'https://www.threads.com/@jo/post/1',
    doubles: { 'www.threads.com': always(tags('Threads • Log in', 'Threads')) },
    expected: { blockedBy: 'login' },
    sources: ['Lanternko/discord-social-preview-bot#45'],
  },
  {
    name: 'its shell',
    url: 'https://www.threads.com/@jo/post/1/media',
    doubles: { 'www.threads.com': always(shell('Threads')) },
    expected: { blockedBy: 'login' },
    sources: ['Lanternko/discord-social-preview-bot#77'],
  },
])

const PINTEREST = site('Pinterest', [
  {
    name: 'pin.it leads to the pin, tags',
    url: 'https://pin.it/abc',
    doubles: {
      'pin.it': always(redirectTo('https://www.pinterest.de/pin/1/sent/')),
      'www.pinterest.de': always(tags('A pin', 'Pinterest')),
    },
    expected: answered('A pin'),
    sources: ['wuaishare/sharextract#28'],
  },
  {
    name: 'its own name in the og: tags of a pin',
    url: 'https://www.pinterest.ca/pin/1/',
    doubles: { 'www.pinterest.ca': always(tags('Pinterest', 'Pinterest')) },
    expected: { blockedBy: 'login' },
    sources: ['seregazhuk/php-pinterest-bot#374'],
  },
  {
    name: 'the same, and its oEmbed endpoint',
    url: 'https://www.pinterest.com/pin/1/',
    doubles: {
      'www.pinterest.com': (_, url) =>
        url.pathname === '/oembed.json' ? json({ title: 'A pin' }) : tags('Pinterest', 'Pinterest'),
    },
    expected: answered('A pin', 'oembed title'),
    sources: ['seregazhuk/php-pinterest-bot#374'],
  },
])

const TWITCH = site('Twitch', [
  {
    name: 'a channel, tags',
    url: 'https://www.twitch.tv/jo',
    doubles: { 'www.twitch.tv': always(tags('Jo - Twitch', 'Twitch')) },
    expected: answered('Jo - Twitch'),
    sources: ['wrycu/toss#25'],
  },
  {
    name: 'its shell',
    url: 'https://www.twitch.tv/jo',
    doubles: { 'www.twitch.tv': always(shell('Twitch')) },
    expected: { blockedBy: 'login' },
    sources: ['wrycu/toss#7', 'wrycu/toss#25'],
  },
])

const TUMBLR = site('Tumblr', [
  {
    name: 'a post, tags',
    url: 'https://jo.tumblr.com/post/1/a-post',
    doubles: { 'jo.tumblr.com': always(tags('A post', 'Tumblr')) },
    expected: answered('A post'),
    sources: ['dixudx/tumblr-crawler#32'],
  },
  {
    name: 'a blog for members',
    url: 'https://jo.tumblr.com/post/1/a-post',
    doubles: {
      'jo.tumblr.com': always(redirectTo('https://www.tumblr.com/login_required/jo')),
      'www.tumblr.com': (_, url) =>
        url.pathname === '/login_required/jo' ? html(`<title>Request denied | Tumblr</title>${FORM}`) : html('', 404),
    },
    expected: { blockedBy: 'login' },
    sources: ['ArchiveTeam/tumblr-grab#2', 'dixudx/tumblr-crawler#32'],
  },
])

const TIKTOK = site('TikTok', [
  {
    name: 'a challenge with 200',
    url: 'https://www.tiktok.com/@jo/video/1',
    doubles: { 'www.tiktok.com': always(html(`<title>Please wait...</title><script>var SlardarWAF = 1</script>`)) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['dfreelon/pyktok#83'],
  },
  {
    name: 'its shell',
    url: 'https://www.tiktok.com/@jo/video/1',
    doubles: { 'www.tiktok.com': always(shell('TikTok - Make Your Day')) },
    expected: { blockedBy: 'login' },
    sources: ['sur950/any_link_preview#47', 'dubinc/dub#425'],
  },
  {
    name: 'its shell, and an oEmbed endpoint that only returns its own name',
    url: 'https://www.tiktok.com/@jo/video/1',
    doubles: {
      'www.tiktok.com': (_, url) =>
        url.pathname === '/oembed' ? json({ title: 'TikTok - Make Your Day' }) : shell('TikTok - Make Your Day'),
    },
    expected: { blockedBy: 'login' },
    sources: ['sur950/any_link_preview#47'],
  },
  {
    name: 'a share link, tags',
    url: 'https://vm.tiktok.com/ZM/',
    doubles: {
      'vm.tiktok.com': always(redirectTo('https://www.tiktok.com/@jo/video/1?_t=1', 301)),
      'www.tiktok.com': always(tags('Jo’s video', 'TikTok')),
    },
    expected: answered('Jo’s video'),
    sources: ['dubinc/dub#425'],
  },
])

const LINKEDIN = site('LinkedIn', [
  {
    name: '999 for unknown clients',
    url: 'https://www.linkedin.com/in/jo/',
    doubles: { 'www.linkedin.com': always(html('<html><head><script>window.onload = function () {}</script>', 999)) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['dusterio/link-preview#14', 'neosmart/UrlPreview#3'],
  },
  {
    name: 'its auth wall',
    url: 'https://www.linkedin.com/in/jo/',
    doubles: {
      'www.linkedin.com': (_, url) =>
        url.pathname === '/authwall'
          ? html(`<title>Sign Up | LinkedIn</title><meta property="og:title" content="Join LinkedIn">${FORM}`)
          : redirectTo(`/authwall?trk=bf&sessionRedirect=${encodeURIComponent(url.href)}`),
    },
    expected: { blockedBy: 'login' },
    sources: ['leonardocardoso/Android-Link-Preview#29', 'neosmart/UrlPreview#3'],
  },
  {
    name: 'an invitation to join',
    url: 'https://www.linkedin.com/feed/',
    doubles: {
      'www.linkedin.com': (_, url) =>
        url.pathname === '/signup/cold-join'
          ? html(`<title>Join</title>${FORM}`)
          : redirectTo(`/signup/cold-join?session_redirect=${encodeURIComponent(url.href)}`),
    },
    expected: { blockedBy: 'login' },
    sources: ['simonfrey/unshort.link#11'],
  },
  {
    name: 'a public article that offers to sign in',
    url: 'https://www.linkedin.com/pulse/article',
    doubles: {
      'www.linkedin.com': always(
        html(
          `<title>An article</title><meta property="og:title" content="An article"><p>${longText}</p>Sign in${FORM}`,
        ),
      ),
    },
    expected: answered('An article'),
    sources: ['dusterio/link-preview#14'],
  },
  {
    name: 'lnkd.in leads to the page',
    url: 'https://lnkd.in/abc',
    doubles: { 'lnkd.in': always(redirectTo('https://news.test/a', 301)), 'news.test': NEWS },
    expected: answered('The news'),
    sources: ['marirs/urlexpand#7'],
  },
  {
    name: 'lnkd.in sends a warning page instead of a redirect',
    url: 'https://lnkd.in/abc',
    doubles: {
      'lnkd.in': always(
        html(
          `<title>LinkedIn</title><h1>This link will take you to a page that’s not on LinkedIn</h1>
          <a href="https://www.linkedin.com/help">Learn more</a>
          <a data-tracking-control-name="external_url_click" href="https://news.test/a?b=1&amp;c=2">https://news.test/a</a>`,
        ),
      ),
      'news.test': NEWS,
    },
    expected: { ...answered('The news'), requested: ['https://lnkd.in/abc', 'https://news.test/a?b=1&c=2'] },
    sources: ['marirs/urlexpand#7', 'RyanDFIR/unfurl#179', 'OldPanda/Open-the-F-king-URL-Right-Now#112'],
  },
])

const REDDIT_BLOCKED = html(
  `<!doctype html><title>Blocked</title><h1>whoa there, pardner!</h1><p>if you're supplying an alternate User-Agent string,
  try changing back to default as that can sometimes result in a block.</p>`,
  403,
)

const REDDIT = site('Reddit', [
  {
    name: 'an age check',
    url: 'https://old.reddit.com/r/a/comments/1/b/',
    doubles: {
      'old.reddit.com': (_, url) =>
        url.pathname === '/over18'
          ? html('<title>reddit.com: over 18?</title><p>You must be at least eighteen years old.<form></form>')
          : redirectTo(`/over18?dest=${encodeURIComponent(url.href)}`),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['ikedaosushi/tech-news#3632', 'Tunous/Dawn#406'],
  },
  {
    name: 'refused to browsers in data centers, tags for others',
    url: 'https://www.reddit.com/r/a/comments/1/b/',
    doubles: { 'www.reddit.com': (request) => (isBrowser(request) ? REDDIT_BLOCKED : tags('A post', 'Reddit')) },
    expected: answered('A post'),
    sources: ['pubky/pubky-app#2282', 'mattermost/mattermost#16665'],
  },
  {
    name: 'refused to all',
    url: 'https://www.reddit.com/r/a/comments/1/b/',
    doubles: { 'www.reddit.com': always(REDDIT_BLOCKED) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['Chatterino/api#416', 'linkwarden/linkwarden#447'],
  },
  {
    name: 'a verification with 200',
    url: 'https://www.reddit.com/r/a/comments/1/b/',
    doubles: { 'www.reddit.com': always(shell('Reddit - Please wait for verification')) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['microlinkhq/is-antibot/src/providers.json'],
  },
  {
    name: 'redd.it leads to the post',
    url: 'https://redd.it/1',
    doubles: {
      'redd.it': always(redirectTo('https://www.reddit.com/comments/1', 301)),
      'www.reddit.com': (_, url) =>
        url.pathname === '/comments/1' ? redirectTo('/r/a/comments/1/b/') : tags('A post', 'Reddit'),
    },
    expected: answered('A post'),
    sources: ['mattermost/mattermost#16665'],
  },
])

const YOUTUBE = site('YouTube', [
  {
    name: 'YouTube Music for clients other than browsers, and the oEmbed endpoint',
    url: 'https://music.youtube.com/watch?v=abc',
    doubles: {
      'music.youtube.com': always(
        html(
          `<title>Your browser is deprecated, please upgrade.</title><body>Sorry, YouTube Music is not optimised for your
          browser. Check for updates or try Google Chrome.${SCRIPT}`,
        ),
      ),
      'www.youtube.com': (_, url) => (url.pathname === '/oembed' ? json({ title: 'A song' }) : html('', 404)),
    },
    expected: answered('A song', 'oembed title'),
    sources: ['bitbot-irc/bitbot#277', 'signalapp/Signal-Android#10158', 'element-hq/element-web#16736'],
  },
  {
    name: 'youtu.be leads to the video',
    url: 'https://youtu.be/abc',
    doubles: {
      'youtu.be': always(redirectTo('https://www.youtube.com/watch?v=abc&feature=youtu.be', 303)),
      'www.youtube.com': always(tags('A video', 'YouTube')),
    },
    expected: answered('A video'),
    sources: ['sur950/any_link_preview#106'],
  },
  {
    name: 'a video without a title, for limited addresses',
    url: 'https://www.youtube.com/watch?v=abc',
    doubles: {
      'www.youtube.com': always(
        html(
          `<title> - YouTube</title><meta name="description" content="Enjoy the videos and music you love">${SCRIPT}`,
        ),
      ),
    },
    expected: { blockedBy: 'login' },
    sources: ['friendica/friendica#14621', 'friendica/friendica#15112', 'microlinkhq/is-antibot/src/providers.json'],
  },
  {
    name: 'the mobile host leads to the video',
    url: 'https://m.youtube.com/watch?v=abc',
    doubles: {
      'm.youtube.com': (_, url) => redirectTo(`https://www.youtube.com${url.pathname}${url.search}`),
      'www.youtube.com': always(tags('A video', 'YouTube')),
    },
    expected: answered('A video'),
    sources: ['element-hq/synapse#17873'],
  },
])

const SPOTIFY = site('Spotify', [
  {
    name: '406 for clients other than browsers',
    url: 'https://open.spotify.com/track/1',
    doubles: {
      'open.spotify.com': (request) =>
        isBrowser(request) ? tags('A song', 'Spotify') : html('Unsupported Browser', 406),
    },
    expected: answered('A song'),
    sources: ['Raptor123471/DingoLingo#86'],
  },
  {
    name: 'its player without the song',
    url: 'https://open.spotify.com/track/1',
    doubles: { 'open.spotify.com': always(shell('Spotify – Web Player')) },
    expected: { blockedBy: 'login' },
    sources: ['tomasmcm/SpotiWeb#31'],
  },
  {
    name: 'spotify.link leads to the song',
    url: 'https://spotify.link/abc',
    doubles: {
      'spotify.link': always(redirectTo('https://open.spotify.com/track/1', 307)),
      'open.spotify.com': always(tags('A song', 'Spotify')),
    },
    expected: answered('A song'),
    sources: ['traPtitech/traQ#2032'],
  },
])

const AMAZON_CAPTCHA = html(
  `<!doctype html><title dir="ltr">Amazon.com</title><h4>Enter the characters you see below</h4><p>Sorry, we just need to
  make sure you're not a robot.</p><form action="/errors/validateCaptcha"></form>`,
)

const AMAZON = site('Amazon', [
  {
    name: 'a captcha with 200',
    url: 'https://www.amazon.com/dp/B0',
    doubles: { 'www.amazon.com': always(AMAZON_CAPTCHA) },
    expected: { blockedBy: 'login' },
    sources: ['jina-ai/reader#108', 'jshemas/openGraphScraper#225', 'devlikeapro/waha#596'],
  },
  {
    name: 'the same title in another country',
    url: 'https://www.amazon.co.uk/dp/B0',
    doubles: { 'www.amazon.co.uk': always(html('<title>Amazon.co.uk</title>Click the button below to continue')) },
    expected: { blockedBy: 'login' },
    sources: ['jina-ai/reader#108'],
  },
  {
    name: 'its older captcha',
    url: 'https://www.amazon.com/gp/product/B0',
    doubles: { 'www.amazon.com': always(html('<title dir="ltr">Robot Check</title>')) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['PagePortrait/Report#52'],
  },
  {
    name: '503 for bots',
    url: 'https://www.amazon.co.jp/dp/B0',
    doubles: { 'www.amazon.co.jp': always(html('<title>Sorry! Something went wrong!</title>', 503)) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['0si43/shetommy.com#103', 'jacktuck/unfurl#77'],
  },
  {
    name: 'amzn.to leads to the product, which has no og: tags',
    url: 'https://amzn.to/abc',
    doubles: {
      'amzn.to': always(redirectTo('https://www.amazon.co.uk/dp/0865479933?tag=1', 301)),
      'www.amazon.co.uk': always(
        html(
          `<title>The Anatomy of Story: Amazon.co.uk: Books</title><meta name="description" content="Buy">${longText}`,
        ),
      ),
    },
    expected: answered('The Anatomy of Story: Amazon.co.uk: Books', 'title element'),
    sources: ['jshemas/openGraphScraper#61'],
  },
])

const BLOOMBERG = site('Bloomberg', [
  {
    name: 'a redirect to its captcha',
    url: 'https://www.bloomberg.com/news/articles/a',
    doubles: {
      'www.bloomberg.com': (_, url) =>
        url.pathname === '/tosv2.html'
          ? html(`<title>Bloomberg - Are you a robot?</title><p>We've detected unusual activity${longText}`)
          : redirectTo(`/tosv2.html?vid=&uuid=1&url=${btoa(url.pathname)}`),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['dropod/issues#16718', 'ikedaosushi/tech-news#20135'],
  },
])

const WEIBO = site('Weibo', [
  {
    name: 'a redirect to its visitor system',
    url: 'https://weibo.com/1/abc',
    doubles: {
      'weibo.com': (_, url) =>
        redirectTo(`https://passport.weibo.com/visitor/visitor?entry=miniblog&url=${encodeURIComponent(url.href)}`),
      'passport.weibo.com': always(shell('Sina Visitor System')),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['dropod/issues#17696'],
  },
])

const GOOGLE = site('Google', [
  {
    name: 'a captcha for unusual traffic',
    url: 'https://www.google.com/maps/place/1',
    doubles: {
      'www.google.com': (_, url) =>
        url.pathname === '/sorry/index'
          ? html('<title>https://www.google.com/maps/place/1</title><form id="captcha-form">', 429)
          : redirectTo(`/sorry/index?continue=${encodeURIComponent(url.href)}`),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['MaxKuehn/zotero-scholar-citations#14', 'omkarcloud/google-maps-scraper#117'],
  },
  {
    name: 'a document for members',
    url: 'https://docs.google.com/document/d/1/edit',
    doubles: {
      'docs.google.com': (_, url) =>
        redirectTo(`https://accounts.google.com/ServiceLogin?service=wise&continue=${encodeURIComponent(url.href)}`),
      'accounts.google.com': always(html('<title>Google Docs: Sign-in</title>')),
    },
    expected: { blockedBy: 'login' },
    sources: ['carbon-app/carbon#1347', 'RocketChat/feature-requests#381'],
  },
])

const IMDB = site('IMDb', [
  {
    name: '202 without a page',
    url: 'https://www.imdb.com/title/tt1/',
    doubles: { 'www.imdb.com': always(html('', 202, { 'x-amzn-waf-action': 'challenge' })) },
    expected: { blockedBy: 'aws_waf' },
    sources: ['Flexget/Flexget#5010', 'tboothman/imdbphp#348'],
  },
])

const ETSY = site('Etsy', [
  {
    name: 'DataDome',
    url: 'https://www.etsy.com/listing/1',
    doubles: {
      'www.etsy.com': always(
        html(
          `<html><head><title>etsy.com</title></head><body><p id="cmsg">Please enable JS and disable any ad blocker</p>
          <script>var dd={'rt':'c'}</script><script src="https://ct.captcha-delivery.com/c.js"></script>`,
          403,
          { 'x-datadome': 'protected', 'x-dd-b': '1' },
        ),
      ),
    },
    expected: { blockedBy: 'datadome' },
    sources: ['bluesky-social/social-app#1879'],
  },
])

const LEBONCOIN = site('Leboncoin', [
  {
    name: 'DataDome for plain requests, by its header alone',
    url: 'https://www.leboncoin.fr/ad/1',
    doubles: { 'www.leboncoin.fr': always(html('', 403, { 'x-datadome-cid': 'A' })) },
    expected: { blockedBy: 'datadome' },
    sources: ['RSS-Bridge/rss-bridge#1820', 'cvele/polovnjak-mcp#128'],
  },
])

const MEDIUM = site('Medium', [
  {
    name: 'Cloudflare',
    url: 'https://jo.medium.com/a-story-1',
    doubles: { 'jo.medium.com': always(html('<title>Just a moment...</title>', 403, { 'cf-mitigated': 'challenge' })) },
    expected: { blockedBy: 'cloudflare' },
    sources: ['dailydotdev/daily#2012', 'filecoin-project/slate#1095'],
  },
  {
    name: 'a story that offers to sign in',
    url: 'https://medium.com/@jo/a-story-1',
    doubles: { 'medium.com': always(html(`<title>A story | Medium</title><p>${longText}</p>Sign in${FORM}${SCRIPT}`)) },
    expected: answered('A story | Medium', 'title element'),
    sources: ['toddbirchard/ghosttheme-stockholm#4'],
  },
])

const WALMART = site('Walmart', [
  {
    name: 'a redirect to its challenge',
    url: 'https://www.walmart.com/ip/1',
    doubles: {
      'www.walmart.com': (_, url) =>
        url.pathname === '/blocked'
          ? html(`<title>Robot or human?</title><script>window._pxAppId = 'PX1'</script>`)
          : redirectTo(`/blocked?url=${btoa(url.pathname)}`),
    },
    expected: { blockedBy: 'human' },
    sources: ['microlinkhq/is-antibot#70', 'remotebrowser/mcp#1295'],
  },
  {
    name: 'a product with the sensor of the same defense',
    url: 'https://www.walmart.com/ip/1',
    doubles: {
      'www.walmart.com': always(html(`<title>A lamp</title><script>window._pxAppId = 'PX1'</script><p>${longText}`)),
    },
    expected: answered('A lamp', 'title element'),
    sources: ['microlinkhq/is-antibot#70'],
  },
])

const ALIEXPRESS = site('AliExpress', [
  {
    name: 'its challenge',
    url: 'https://www.aliexpress.com/item/1.html',
    doubles: {
      'www.aliexpress.com': (_, url) =>
        url.pathname.endsWith('/punish')
          ? html('<title>Captcha Interception</title>')
          : redirectTo(`${url.pathname}/_____tmd_____/punish?x5secdata=1`),
    },
    expected: { blockedBy: 'other_challenge' },
    sources: ['microlinkhq/is-antibot/src/providers.json'],
  },
])

const DRIBBBLE = site('Dribbble', [
  {
    name: '403 for bots, the page for browsers',
    url: 'https://dribbble.com/shots/1',
    doubles: { 'dribbble.com': (request) => (isBrowser(request) ? tags('A shot', 'Dribbble') : html('', 403)) },
    expected: answered('A shot'),
    sources: ['microlinkhq/is-antibot/src/providers.json'],
  },
  {
    name: '403 for all',
    url: 'https://dribbble.com/shots/1',
    doubles: { 'dribbble.com': always(html('', 403)) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['microlinkhq/is-antibot/src/providers.json'],
  },
])

const HOUZZ = site('Houzz', [
  {
    name: '429 from the first request on',
    url: 'https://www.houzz.com/photos/1',
    doubles: { 'www.houzz.com': always(html('', 429)) },
    expected: { blockedBy: 'other_challenge' },
    sources: ['microlinkhq/is-antibot#77'],
  },
])

const GITLAB = site('GitLab', [
  {
    name: 'a private project',
    url: 'https://gitlab.example/group/project/-/issues/1',
    doubles: {
      'gitlab.example': (_, url) =>
        url.pathname === '/users/sign_in'
          ? html(`<title>Sign in · GitLab</title><meta property="og:title" content="Sign in · GitLab">${FORM}`)
          : redirectTo('/users/sign_in'),
    },
    expected: { blockedBy: 'login' },
    sources: ['mattermost/mattermost#4257', 'RocketChat/feature-requests#381', 'element-hq/synapse#18795'],
  },
  {
    name: 'a public project',
    url: 'https://gitlab.example/group/project',
    doubles: { 'gitlab.example': always(tags('group / project', 'GitLab')) },
    expected: answered('group / project'),
    sources: ['mattermost/mattermost#4257'],
  },
])

const PRERENDERED = site('Sites with prerendering', [
  {
    name: 'the page for bots, a shell for others',
    url: 'https://shop.example/lamp',
    doubles: { 'shop.example': (request) => (isBot(request) ? tags('A lamp', 'Shop') : shell('Shop')) },
    expected: answered('A lamp'),
    sources: ['prerender/prerender-node#64', 'sanfrancesco/prerendercloud-lambda-edge#7'],
  },
  {
    name: 'a site that refuses clients with the names of known crawlers',
    url: 'https://site.example/a',
    doubles: {
      'site.example': (request) =>
        /facebookexternalhit|twitterbot|googlebot/i.test(request.headers.get('user-agent') ?? '')
          ? html('', 403)
          : tags('A page', 'Site'),
    },
    expected: answered('A page'),
    sources: ['thelounge/thelounge#4914'],
  },
])

export const CASES: readonly SiteCase[] = [
  ...X,
  ...T_CO,
  ...INSTAGRAM,
  ...FACEBOOK,
  ...THREADS,
  ...PINTEREST,
  ...TWITCH,
  ...TUMBLR,
  ...TIKTOK,
  ...LINKEDIN,
  ...REDDIT,
  ...YOUTUBE,
  ...SPOTIFY,
  ...AMAZON,
  ...BLOOMBERG,
  ...WEIBO,
  ...GOOGLE,
  ...IMDB,
  ...ETSY,
  ...LEBONCOIN,
  ...MEDIUM,
  ...WALMART,
  ...ALIEXPRESS,
  ...DRIBBBLE,
  ...HOUZZ,
  ...GITLAB,
  ...PRERENDERED,
]
