import { join } from 'node:path'

import type { BunPlugin } from 'bun'
import { compile } from 'svelte/compiler'

/** The frameworks of the shells: pages that are empty until their scripts have run. */
export const FRAMEWORKS = ['react', 'vue', 'svelte', 'preact', 'plain'] as const
export type Framework = (typeof FRAMEWORKS)[number]

/** The name of each framework in the titles of its pages. */
export const LABELS: Readonly<Record<Framework, string>> = {
  react: 'React',
  vue: 'Vue',
  svelte: 'Svelte',
  preact: 'Preact',
  plain: 'No framework',
}

/** When a shell gets its content. */
export const ARRIVALS = ['now', 'fetched', 'late'] as const

export interface ShellSite extends Disposable {
  port: number
  /** The URL of a shell. */
  urlOf(framework: Framework, arrival: (typeof ARRIVALS)[number]): string
}

const svelte: BunPlugin = {
  name: 'svelte',
  setup(build) {
    build.onLoad({ filter: /\.svelte$/ }, async ({ path }) => ({
      contents: compile(await Bun.file(path).text(), { filename: path, generate: 'client' }).js.code,
      loader: 'js',
    }))
  },
}

async function bundle(framework: Framework): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, framework, 'main.js')],
    target: 'browser',
    conditions: ['browser', 'svelte'],
    minify: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [svelte],
  })
  return await outputs[0]!.text()
}

const shellOf = (framework: Framework) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${LABELS[framework]} App</title>
    <link rel="icon" href="/icon.png">
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <noscript>You need to enable JavaScript to run this app.</noscript>
    <div id="root"></div>
    <script type="module" src="/${framework}.js"></script>
  </body>
</html>`

/** Bundles all shells and serves them on a free loopback port, with the style sheet and data that they request. */
export async function openShellSite(): Promise<ShellSite> {
  const bundles = new Map<string, string>()
  for (const framework of FRAMEWORKS) bundles.set(`/${framework}.js`, await bundle(framework))

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      const script = bundles.get(pathname)
      if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } })
      if (pathname === '/article.json') return Response.json({})
      if (pathname === '/style.css') {
        return new Response('body { background: url(/paper.png) }', { headers: { 'content-type': 'text/css' } })
      }
      const framework = FRAMEWORKS.find((name) => pathname.startsWith(`/${name}/`))
      if (framework === undefined) return new Response('Not found', { status: 404 })
      return new Response(shellOf(framework), { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  const port = server.port!
  return {
    port,
    urlOf: (framework, arrival) => `http://127.0.0.1:${port}/${framework}/${arrival}`,
    [Symbol.dispose]: () => void server.stop(true),
  }
}
