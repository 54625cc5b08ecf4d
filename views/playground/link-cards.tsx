import { Html, type PropsWithChildren } from '@elysiajs/html'

import type { CardText } from './card-text.ts'

/** Link previews of seven apps. Cards are not links: their text comes from the page. */
export function LinkCards({ text }: { text: CardText }) {
  return (
    <ul class="previews">
      <Preview app="Slack" note="Site name and icon, title and description, with the image below.">
        <SlackCard text={text} />
      </Preview>
      <Preview app="X" note={xNote(text)}>
        <XCard text={text} />
      </Preview>
      <Preview app="Google" note="Google may choose a different title and snippet.">
        <GoogleCard text={text} />
      </Preview>
      <Preview app="Facebook" note="The image is cropped to 1.91:1.">
        <FacebookCard text={text} />
      </Preview>
      <Preview
        app="Discord"
        note={text.isLarge ? 'Large image, because twitter:card is summary_large_image.' : 'Small image at the side.'}
      >
        <DiscordCard text={text} />
      </Preview>
      <Preview app="iMessage" note="Image, title and host; no description.">
        <MessageCard text={text} />
      </Preview>
      <Preview app="WhatsApp" note="Generated on the sender’s phone; may vary.">
        <WhatsAppCard text={text} />
      </Preview>
    </ul>
  )
}

function xNote({ isLarge, image }: CardText): string {
  if (image === null) return 'Small card, because there is no image.'
  return isLarge ? 'twitter:card is summary_large_image.' : 'Small card; summary_large_image shows a large one.'
}

function Preview({ app, note, children }: PropsWithChildren<{ app: string; note: string }>) {
  return (
    <li>
      <h3 safe>{app}</h3>
      {children as 'safe'}
      <p class="hint" safe>
        {note}
      </p>
    </li>
  )
}

/** Images are only loaded through this server's proxy; other URLs are omitted. */
const IMAGE_PATH = '/playground/image?'

/** The alternative text is empty, because the title is next to it. */
function PreviewImage({ path, shape }: { path: string | null; shape: 'wide' | 'square' | 'icon' }) {
  if (!path?.startsWith(IMAGE_PATH)) return shape === 'icon' ? <span class="pic icon"></span> : null
  const [width, height] = { wide: ['382', '200'], square: ['80', '80'], icon: ['16', '16'] }[shape] as [string, string]
  return <img class={`pic ${shape}`} src={Html.escapeHtml(path)} alt="" width={width} height={height} loading="lazy" />
}

function Description({ text }: { text: CardText }) {
  if (text.description === '') return null
  return (
    <p class="d" dir="auto" safe>
      {text.description}
    </p>
  )
}

function SlackCard({ text }: { text: CardText }) {
  return (
    <div class="card slack">
      <p class="s">
        <PreviewImage path={text.favicon} shape="icon" />{' '}
        <b dir="auto" safe>
          {text.siteName}
        </b>
      </p>
      <p class="t" dir="auto" safe>
        {text.title}
      </p>
      <Description text={text} />
      <PreviewImage path={text.image} shape="wide" />
    </div>
  )
}

function XCard({ text }: { text: CardText }) {
  if (text.isLarge && text.image !== null) {
    return (
      <div class="card x large">
        <div class="frame">
          <PreviewImage path={text.image} shape="wide" />
          <p class="t" dir="auto" safe>
            {text.title}
          </p>
        </div>
        <p class="s" dir="auto" safe>
          {`From ${text.host}`}
        </p>
      </div>
    )
  }
  return (
    <div class="card x small">
      <PreviewImage path={text.image} shape="square" />
      <div>
        <TextLines source={text.host} text={text} />
      </div>
    </div>
  )
}

/** The source (host or site name), title and description. */
function TextLines({ source, text }: { source: string; text: CardText }) {
  return (
    <>
      <p class="s" dir="auto" safe>
        {source}
      </p>
      <p class="t" dir="auto" safe>
        {text.title}
      </p>
      <Description text={text} />
    </>
  )
}

function FacebookCard({ text }: { text: CardText }) {
  return (
    <div class="card facebook">
      <PreviewImage path={text.image} shape="wide" />
      <div class="words">
        <TextLines source={text.host} text={text} />
      </div>
    </div>
  )
}

function DiscordCard({ text }: { text: CardText }) {
  return (
    <div class={text.isLarge ? 'card discord large' : 'card discord'}>
      <div>
        <TextLines source={text.siteName} text={text} />
      </div>
      <PreviewImage path={text.image} shape={text.isLarge ? 'wide' : 'square'} />
    </div>
  )
}

function MessageCard({ text }: { text: CardText }) {
  return (
    <div class="card imessage">
      <PreviewImage path={text.image} shape="wide" />
      <div class="words">
        <p class="t" dir="auto" safe>
          {text.title}
        </p>
        <p class="s" dir="auto" safe>
          {text.host}
        </p>
      </div>
    </div>
  )
}

function WhatsAppCard({ text }: { text: CardText }) {
  return (
    <div class="card whatsapp">
      <div class="words">
        <PreviewImage path={text.image} shape="wide" />
        <p class="t" dir="auto" safe>
          {text.title}
        </p>
        <Description text={text} />
        <p class="s" dir="auto" safe>
          {text.host}
        </p>
      </div>
    </div>
  )
}

function GoogleCard({ text }: { text: CardText }) {
  return (
    <div class="card google">
      <div class="s">
        <PreviewImage path={text.favicon} shape="icon" />
        <p>
          <bdi safe>{text.siteName}</bdi>
          <span class="trail" safe>
            {text.trail}
          </span>
        </p>
      </div>
      <p class="t" dir="auto" safe>
        {text.title}
      </p>
      <Description text={text} />
    </div>
  )
}
