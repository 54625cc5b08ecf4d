import { ASSETS } from './assets.ts'
import { type Frame, Section, Shell } from './shell.tsx'
import { CodeTabs, EXAMPLE_URL } from './ui/code-examples.tsx'

const KEY = 'urlmeta_live_…'

/** The page `/card`, about the custom element of url-card.js. */
export function CardPage({ frame, exampleEndpoint }: { frame: Frame; exampleEndpoint: string }) {
  const script = `${frame.baseUrl}/card.js`
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
        <CodeTabs name="framework" legend="Framework" tabs={snippets(script)} />
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

function snippets(script: string) {
  const card = `<url-card href="${EXAMPLE_URL}" data-key="${KEY}"></url-card>`
  const load = `<script src="${script}" defer></script>`
  return [
    { id: 'html', label: 'HTML', code: `${load}\n\n${card}` },
    {
      id: 'react',
      label: 'React',
      code: `// In the page: ${load}\nexport function LinkCard({ href }) {\n  return <url-card href={href} data-key="${KEY}" />\n}`,
    },
    {
      id: 'vue',
      label: 'Vue',
      code: `<!-- In the page: ${load}
     In the build: compilerOptions.isCustomElement = (tag) => tag === 'url-card' -->
<script setup>
defineProps(['href'])
</script>

<template>
  <url-card :href="href" data-key="${KEY}"></url-card>
</template>`,
    },
    {
      id: 'svelte',
      label: 'Svelte',
      code: `<!-- In the page: ${load} -->\n<script>\n  let { href } = $props()\n</script>\n\n<url-card {href} data-key="${KEY}"></url-card>`,
    },
  ]
}
