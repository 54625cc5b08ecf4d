import { escapeHtml } from '@kitajs/html'

import type { Crop, Platform } from '../../src/previews/platforms/platform.ts'
import { ASSETS } from '../assets.ts'
import { Badge } from '../ui/badge.tsx'
import { InlineText, Text } from '../ui/text.tsx'
import { breadcrumbOf, truncate } from './card-text.ts'
import type { PreviewCard, PreviewImage } from './link-preview.ts'

/** Images are only loaded through this server's proxy; other URLs are omitted. */
export const IMAGE_PATH = '/playground/image?'

/** Images with longer paths are not shown, because each card repeats the path of its image. */
const MAX_PATH_CHARACTERS = 2_048

/** Longer URLs are truncated when an app shows no card. */
const MAX_URL_CHARACTERS = 120

const CROP_CLASSES: Record<Crop, string> = { '1.91:1': 'wide', '1:1': 'square', whole: 'whole' }

/** Classes that truncate a text after this many lines; 0 for no limit. */
const LINE_CLASSES = ['', 'lines-1', 'lines-2', 'lines-3', 'lines-4']

/** Cards are not links. */
export function PreviewCardItem({ card, url }: { card: PreviewCard; url: string }) {
  const { platform, image, isFromPlainPage } = card
  const used = [...new Set(Object.values(card.used))].filter((key) => key !== '')
  const problems = [card.problem, card.imageProblem].filter((text) => text !== '')
  return (
    <li id={anchorOf(platform)}>
      <h3>
        <AppMark platform={platform} />
        {escapeHtml(platform.name)}
        {isFromPlainPage && <Badge tone="warn" text="plain HTML" />}
      </h3>
      {card.layout === 'none' ? (
        <div class="card no-card">
          <p class="t">{escapeHtml(truncate(url, MAX_URL_CHARACTERS))}</p>
          <p class="s">No card, only the link.</p>
        </div>
      ) : (
        <CardBody card={card} url={url} />
      )}
      {problems.map((text) => (
        <Text class="problem" text={text} />
      ))}
      {card.layout !== 'none' && image?.path === '' && <p class="hint later">The image is not loaded yet.</p>}
      <p class="hint">
        {escapeHtml(`Uses ${used.join(', ') || 'no tags'}.`)}{' '}
        <a href={escapeHtml(`/docs/link-previews#${platform.id}`)}>Rules of {escapeHtml(platform.name)}</a>
      </p>
    </li>
  )
}

/** The id of the card of an app. */
export const anchorOf = ({ id }: Platform) => escapeHtml(`card-${id}`)

/** A logo, or letters for apps whose owners do not allow it. docs/link-previews.md has the reasons. */
export function AppMark({ platform: { id } }: { platform: Platform }) {
  return (
    <svg class="mark" aria-hidden="true">
      <use href={escapeHtml(`${ASSETS['/marks.svg'].href}#${id}`)} />
    </svg>
  )
}

function CardBody({ card, url }: { card: PreviewCard; url: string }) {
  const { platform, layout, accent } = card
  const isTextFirst = layout === 'below' || layout === 'right'
  return (
    <div class={`card ${platform.id} ${layout}`}>
      {accent !== '' && (
        // An SVG attribute can have any color, whereas the Content-Security-Policy forbids inline styles.
        <svg class="accent" width="4" height="100%" aria-hidden="true">
          <rect width="4" height="100%" fill={escapeHtml(accent)} />
        </svg>
      )}
      {!isTextFirst && <Picture card={card} />}
      {layout === 'overlay' && <Text class="s" dir="auto" text={`From ${card.source}`} />}
      {layout !== 'overlay' && layout !== 'alone' && <Lines card={card} url={url} />}
      {isTextFirst && <Picture card={card} />}
    </div>
  )
}

/** The alternative text is empty, because the title is next to it. */
function Picture({ card: { layout, image, moreImages, isVideo, iconPath, platform, title } }: { card: PreviewCard }) {
  if (layout === 'text' || layout === 'search') return null
  if (image === null || !isShown(image.path)) {
    if (platform.icon === 'instead of image' && image === null) return <Icon path={iconPath} />
    return <span class={layout === 'left' || layout === 'right' ? 'pic square' : 'pic wide'}></span>
  }
  const images = [image, ...moreImages].filter(({ path }) => isShown(path))
  if (layout !== 'overlay' && !isVideo && images.length === 1) return <Image image={image} />
  return (
    <div class={images.length > 1 ? 'gallery' : isVideo ? 'frame video' : 'frame'}>
      {images.map((one) => (
        <Image image={one} />
      ))}
      {layout === 'overlay' && <Text class="t" dir="auto" text={title} />}
    </div>
  )
}

function Image({ image: { path, size, crop } }: { image: PreviewImage }) {
  const { width, height } = size ?? { width: 382, height: 200 }
  return (
    <img
      class={`pic ${CROP_CLASSES[crop]}`}
      src={escapeHtml(path)}
      alt=""
      width={String(width)}
      height={String(height)}
      loading="lazy"
    />
  )
}

/** The texts in the order of the app. */
function Lines({ card, url }: { card: PreviewCard; url: string }) {
  const { platform, source, title, author, description, date, image } = card
  const { maxLines } = platform
  const withoutImage = image === null ? maxLines.descriptionWithoutImage : undefined
  const shownLines = LINE_CLASSES[withoutImage ?? maxLines.description] ?? 'lines-20'
  const texts = {
    source: source === '' ? null : <Source card={card} url={url} />,
    title: <Text class={`t ${LINE_CLASSES[maxLines.title]}`} dir="auto" text={title} />,
    author: <Text class="a lines-1" dir="auto" text={author} />,
    description: <Text class={`d ${shownLines}`} dir="auto" text={description} />,
  }
  return (
    <div class="words">
      {platform.lines.map((line) => texts[line] as 'safe')}
      <Text class="s" text={date.slice(0, 16).replace('T', ' ')} />
    </div>
  )
}

function Source({ card, url }: { card: PreviewCard; url: string }) {
  return (
    <div class="s">
      {card.platform.icon === 'beside source' && <Icon path={card.iconPath} />}
      <p>
        <bdi safe>{card.source}</bdi>
        {card.layout === 'search' && <InlineText class="trail" text={breadcrumbOf(url)} />}
      </p>
    </div>
  )
}

function Icon({ path }: { path: string | null }) {
  if (path === null || !isShown(path)) return <span class="pic icon"></span>
  return <img class="pic icon" src={escapeHtml(path)} alt="" width="16" height="16" loading="lazy" />
}

const isShown = (path: string): boolean => path.startsWith(IMAGE_PATH) && path.length <= MAX_PATH_CHARACTERS
