// Builds dist/urlmeta, a single file that runs in any directory without other files, and its manual page.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { BuildConfig, BunPlugin } from 'bun'

import { manPage } from './man-page.ts'
import { version as VERSION } from './package.json'
import { MAX_REQUEST_HEAD_BYTES } from './src/core/limits.ts'
import type { OembedProvider } from './src/core/oembed/endpoints.ts'

const ROOT = import.meta.dir

/** The current commit, with `-dirty` if files differ from it; `unknown` outside a clone. */
function commitOf(folder: string): string {
  const git = Bun.spawnSync(['git', 'describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], {
    cwd: folder,
    // An archive unpacked inside another clone must not use the commit of that clone.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: `${folder}/..` },
    stderr: 'ignore',
  })
  return git.success ? git.stdout.toString().trim() : 'unknown'
}

/**
 * playwright-core reads its package.json and browsers.json from a path computed at run time, which does not exist in an
 * executable (https://github.com/oven-sh/bun/issues/18749). This replaces it with a path that the bundler can resolve.
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

/** Embeds the endpoints of the oEmbed registry only. Names and home pages of the providers are half of its size. */
const oembedProviders: BunPlugin = {
  name: 'oembed-providers',
  setup(build) {
    build.onLoad({ filter: /[\\/]oembed-providers[\\/]providers\.json$/ }, async ({ path }) => {
      const providers: OembedProvider[] = await Bun.file(path).json()
      const needed = providers.map(({ endpoints }) => ({
        endpoints: endpoints.map(({ url, schemes = [] }) => ({ url, schemes })),
      }))
      return { contents: JSON.stringify(needed satisfies OembedProvider[]), loader: 'json' }
    })
  },
}

/** The options of both passes over the source. */
const BUNDLE = {
  entrypoints: ['src/main.ts', 'src/compose/read-worker.ts', 'src/store/sqlite/disk-worker.ts'].map((path) =>
    join(ROOT, path),
  ),
  root: ROOT,
  plugins: [playwrightCore, oembedProviders],
  target: 'bun',
  format: 'esm',
  // Identifiers are not minified: Elysia reads the source of handlers to find what they use, and people read stack traces.
  minify: { whitespace: true, syntax: true },
  define: {
    // The bundler would insert the build directory, which does not exist on other machines.
    __dirname: '"/"',
    __filename: '"/urlmeta"',
    // The bundler would insert "development", with which libraries send full errors to clients.
    'process.env.NODE_ENV': '"production"',
  },
} as const satisfies BuildConfig

/** A npm package with code in the executable. */
export interface BundledPackage {
  name: string
  version: string
  /** An SPDX expression, as the package declares it. */
  license: string
  /** Its path in `node_modules` in the format of bun.lock: `pino-pretty/sonic-boom`. */
  lockName: string
  /** Its folder, relative to the repository. */
  folder: string
  /** The bundled files, relative to the repository. */
  files: readonly string[]
}

/** The packages with code in the executable, sorted by name. Those that the bundler removes are not included. */
export async function bundledPackages(): Promise<BundledPackage[]> {
  const { metafile } = await Bun.build({ ...BUNDLE, metafile: true })
  const paths = Object.values(metafile!.outputs).flatMap((output) => Object.keys(output.inputs))
  const byFolder = Map.groupBy(paths, (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  const packages = [...byFolder].map(async ([folder, files]): Promise<BundledPackage[]> => {
    if (folder === undefined) return []
    const { name, version, license = 'NOASSERTION' } = await Bun.file(join(ROOT, folder, 'package.json')).json()
    const lockName = folder.replace(/^node_modules\//, '').replaceAll('/node_modules/', '/')
    return [{ name, version, license, lockName, folder, files }]
  })
  return (await Promise.all(packages)).flat().toSorted((a, b) => (a.lockName < b.lockName ? -1 : 1))
}

/** License files of packages, and of third-party code that they contain. */
const LICENSE_FILE = /^(licen[cs]e|copying|notice|thirdpartynotices)([.-].*)?$/i

const RULE = '='.repeat(80)

/** The full license texts of this project, of the runtime, of copied icons, and of every package in the executable. */
export async function licensesOf(packages: readonly BundledPackage[]): Promise<string> {
  const sectionsOfPackages = packages.map(async ({ name, version, license, folder, files }) => {
    const names = (await readdir(join(ROOT, folder))).filter((file) => LICENSE_FILE.test(file)).toSorted()
    // A bundle of other packages has their licenses beside it: `utilsBundle.js.LICENSE`.
    const paths = [...names.map((file) => `${folder}/${file}`), ...files.map((file) => `${file}.LICENSE`)]
    const found = await Promise.all(paths.map((path) => textOf(path)))
    const texts = found.filter((text) => text !== null)
    return [
      `${name} ${version} (${license})`,
      ...(texts.length > 0 ? texts : [`The package has no license file; it declares ${license}.`]),
    ]
  })
  const sections = [
    [`urlmeta ${VERSION}`, await Bun.file(join(ROOT, 'LICENSE')).text()],
    // The package of the runtime has no license file; its documentation lists the linked libraries.
    [
      `Bun ${Bun.version}, the runtime in the executable`,
      await Bun.file(join(ROOT, 'node_modules/bun-types/docs/project/license.mdx')).text(),
    ],
    ['Lucide, line icons in views/ui/icons.svg', await Bun.file(join(ROOT, 'views/ui/icons.LICENSE')).text()],
    ...(await Promise.all(sectionsOfPackages)),
  ]
  return sections
    .map((parts) => parts.map((part) => part.replaceAll('\r\n', '\n').trim()).join('\n\n'))
    .join(`\n\n${RULE}\n`)
}

async function textOf(path: string): Promise<string | null> {
  const file = Bun.file(join(ROOT, path))
  return (await file.exists()) ? file.text() : null
}

/** The Bun runtime of an executable. */
export interface Runtime {
  target: Bun.Build.CompileTarget
  /** The path of a Bun for that target. */
  runtime: string
}

/** Writes the executable to `outfile`, for this platform or another. @throws AggregateError with the errors of the bundler */
export async function buildExecutable(outfile: string, licenses: string, other?: Runtime): Promise<void> {
  // Paths in the source map and of `assets` are relative to the working directory.
  process.chdir(ROOT)
  const { outputs } = await Bun.build({
    ...BUNDLE,
    compile: {
      outfile,
      ...(other && { target: other.target, executablePath: other.runtime }),
      assets: ['drizzle'],
      // A bunfig.toml in the working directory belongs to another project; src/cli/load-config.ts reads the .env there.
      autoloadBunfig: false,
      autoloadDotenv: false,
      execArgv: [`--max-http-header-size=${MAX_REQUEST_HEAD_BYTES}`],
    },
    bytecode: true,
    // Code that a command does not use is not loaded.
    splitting: true,
    sourcemap: 'inline',
    define: {
      ...BUNDLE.define,
      URLMETA_COMMIT: JSON.stringify(commitOf(ROOT)),
      URLMETA_LICENSES: JSON.stringify(licenses),
    },
  })
  // The executable contains the source maps, so the separate files are not needed.
  const maps = outputs.filter(({ kind }) => kind === 'sourcemap')
  await Promise.all(maps.map(({ path }) => rm(path, { force: true })))
}

if (import.meta.main) {
  try {
    await buildExecutable('dist/urlmeta', await licensesOf(await bundledPackages()))
    await Bun.write('dist/urlmeta.1', manPage())
    console.log('dist/urlmeta')
  } catch (error) {
    for (const message of error instanceof AggregateError ? error.errors : [error]) console.error(message)
    console.error('Build failed: dist/urlmeta was not written.')
    process.exit(1)
  }
}
