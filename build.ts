// Builds dist/urlmeta: one file that runs from any directory with nothing beside it.
import { rm } from 'node:fs/promises'

import type { BunPlugin } from 'bun'

import { MAX_REQUEST_HEAD_BYTES } from './src/core/limits.ts'

/** The commit this tree stands at, marked when files differ from it; `unknown` outside a clone. */
function commitOf(folder: string): string {
  const git = Bun.spawnSync(['git', 'describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], {
    cwd: folder,
    // An unpacked archive inside somebody else's clone must not take that clone's commit for its own.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: `${folder}/..` },
    stderr: 'ignore',
  })
  return git.success ? git.stdout.toString().trim() : 'unknown'
}

/**
 * playwright-core reads its own package.json and browsers.json by a path that it puts together at run time, which leads
 * nowhere inside an executable (https://github.com/oven-sh/bun/issues/18749). A path that the bundler can read takes its
 * place.
 */
const playwrightCore: BunPlugin = {
  name: 'playwright-core',
  setup(build) {
    build.onLoad({ filter: /[\\/]playwright-core[\\/]lib[\\/]\w+\.js$/ }, async ({ path }) => {
      const source = await Bun.file(path).text()
      const reads = /require\([\w$]+\.default\.join\(packageRoot, "(package\.json|browsers\.json)"\)\)/g
      const contents = source.replaceAll(reads, (_, name: string) => `require("../${name}")`)
      return { contents, loader: 'js' }
    })
  },
}

process.chdir(import.meta.dir)

const result = await Bun.build({
  entrypoints: ['src/main.ts'],
  compile: {
    outfile: 'dist/urlmeta',
    assets: ['drizzle'],
    // A bunfig.toml in the working directory belongs to another project; src/cli/environment.ts reads the .env there.
    autoloadBunfig: false,
    autoloadDotenv: false,
    execArgv: [`--max-http-header-size=${MAX_REQUEST_HEAD_BYTES}`],
  },
  plugins: [playwrightCore],
  target: 'bun',
  format: 'esm',
  bytecode: true,
  sourcemap: 'inline',
  // Names stay: Elysia reads the text of handlers to learn what they use, and people read stack traces.
  minify: { whitespace: true, syntax: true },
  define: {
    URLMETA_COMMIT: JSON.stringify(commitOf(import.meta.dir)),
    // The bundler would bake in "development", with which libraries answer errors in full.
    'process.env.NODE_ENV': '"production"',
  },
  throw: false,
})

for (const message of result.logs) console.error(message)
if (!result.success) {
  console.error('Build failed: dist/urlmeta was not written.')
  process.exit(1)
}
// The executable carries its source map; the copy beside it serves nobody.
await rm('dist/urlmeta.map', { force: true })
console.log('dist/urlmeta')
