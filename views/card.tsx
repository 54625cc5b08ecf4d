import html from './examples/card-html.txt' with { type: 'text' }
import react from './examples/card-react.txt' with { type: 'text' }
import svelte from './examples/card-svelte.txt' with { type: 'text' }
import vue from './examples/card-vue.txt' with { type: 'text' }
import { filled } from './ui/filled.ts'
import { ASSETS } from './assets.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { CodeTabs, EXAMPLE_URL } from './ui/code-examples.tsx'

/** The page `/card`, about the custom element of url-card.js. */
export function CardPage({ frame, exampleEndpoint }: { frame: Frame; exampleEndpoint: string }) {
  const values = { SCRIPT: `${frame.baseUrl}/card.js`, URL: EXAMPLE_URL }
  const tabs = FRAMEWORKS.map(({ text, ...tab }) => ({ ...tab, code: filled(text, values) }))
  return (
    <Shell frame={frame} title="Link card" description="A custom element that shows a link as a card, on any page.">
      <h1>Link card</h1>
      <p class="lead">A custom element that shows a link as a card, on any page.</p>
      <script src={ASSETS['/card.js'].href} defer></script>
      <tag of="url-card" href={EXAMPLE_URL} data-endpoint={exampleEndpoint}></tag>
      <Section id="use" title="Use it">
        <p>
          Create a <a href="/keys">key</a> with the <strong>allowed origins</strong> of your pages. Visitors can read
          the key, but browsers send it from these pages only, and each visitor has a small limit per minute.
        </p>
        <CodeTabs name="framework" legend="Framework" tabs={tabs} />
        <p>
          Until it is loaded, and when the request fails, the card is a plain link. Its parts can be styled:{' '}
          <code>url-card::part(card)</code>, and <code>image</code>, <code>body</code>, <code>site</code>,{' '}
          <code>icon</code>, <code>name</code>, <code>title</code> and <code>description</code>. It follows the{' '}
          <code>color-scheme</code> of the page.
        </p>
        <p>
          Images come from this server if its operator has enabled <code>URLMETA_IMAGE_PROXY</code>. Otherwise browsers
          load them from their sites, which see the addresses of your visitors.
        </p>
        <p>
          To keep the key on your server, set <code>data-endpoint="/preview?url="</code> instead of{' '}
          <code>data-key</code>. The path is on your server, which requests <code>/v1/metadata</code> and returns the
          response.
        </p>
      </Section>
    </Shell>
  )
}

const FRAMEWORKS = [
  { id: 'html', label: 'HTML', text: html },
  { id: 'react', label: 'React', text: react },
  { id: 'vue', label: 'Vue', text: vue },
  { id: 'svelte', label: 'Svelte', text: svelte },
]
