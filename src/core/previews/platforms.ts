import type { Platform } from './platform.ts'
import { BLUESKY } from './platforms/bluesky.ts'
import { DISCORD } from './platforms/discord.ts'
import { FACEBOOK } from './platforms/facebook.ts'
import { GOOGLE } from './platforms/google.ts'
import { IMESSAGE } from './platforms/imessage.ts'
import { LINKEDIN } from './platforms/linkedin.ts'
import { MASTODON } from './platforms/mastodon.ts'
import { SLACK } from './platforms/slack.ts'
import { TEAMS } from './platforms/teams.ts'
import { TELEGRAM } from './platforms/telegram.ts'
import { WHATSAPP } from './platforms/whatsapp.ts'
import { X } from './platforms/x.ts'

/** The apps whose cards are previewed, in the order in which they are shown. */
export const PLATFORMS: readonly Platform[] = [
  X,
  FACEBOOK,
  LINKEDIN,
  SLACK,
  DISCORD,
  WHATSAPP,
  IMESSAGE,
  TELEGRAM,
  TEAMS,
  BLUESKY,
  MASTODON,
  GOOGLE,
]
