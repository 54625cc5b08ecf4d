import { escapeHtml } from '@kitajs/html'

import html from '../examples/card-html.txt' with { type: 'text' }
import react from '../examples/card-react.txt' with { type: 'text' }
import svelte from '../examples/card-svelte.txt' with { type: 'text' }
import vue from '../examples/card-vue.txt' with { type: 'text' }
import { ASSETS } from '../assets.ts'
import { CodeTabs, shownUrl } from '../ui/code-examples.tsx'
import { filled } from '../ui/filled.ts'
import { webAddress, WebLink } from '../ui/web-link.tsx'
import type { TabProps } from './outcome.ts'

/** The link as a card of url-card.js, and the code for it in four kinds of pages. */
export function EmbedTab({ outcome: { response, images }, request: { baseUrl } }: TabProps) {
  const { url, title, description, site_name } = response
  const values = { SCRIPT: `${baseUrl}/card.js`, URL: attributeText(shownUrl(url)) }
  const tabs = Object.entries({ HTML: html, React: react, Vue: vue, Svelte: svelte }).map(([label, text]) => {
    return { id: label.toLowerCase(), label, code: filled(text, values) }
  })
  return (
    <>
      <script src={ASSETS['/card.js'].href} defer></script>
      <tag
        of="url-card"
        href={escapeHtml(webAddress(url) ?? '/')}
        data-metadata={escapeHtml(JSON.stringify({ title, description, site_name, ...images }))}
      >
        <WebLink to={url}>{escapeHtml(url)}</WebLink>
      </tag>
      <CodeTabs name="framework" legend="Framework" tabs={tabs} />
      <p>
        Create a <a href="/keys">key</a> with the <strong>allowed origins</strong> of your pages.{' '}
        <a href="/docs/cards">Link cards</a> describes styles, images, and how to keep the key on your server.
      </p>
    </>
  )
}

/** The text of an attribute in HTML, JSX, and templates of Vue and Svelte, where `{` begins an expression. */
function attributeText(text: string): string {
  return escapeHtml(text).replaceAll(/[{}]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
