// Writes the files of a release to dist/release: an archive per platform, a bill of materials, the installer, checksums.
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { Enums, Models, Serialize, SPDX, Spec, Validation } from '@cyclonedx/cyclonedx-library'

import { buildExecutable, bundledPackages, licensesOf, type BundledPackage } from './build.ts'
import { manPage } from './man-page.ts'
import { dependencies, version } from './package.json'

const ROOT = import.meta.dir
const RELEASE = join(ROOT, 'dist/release')

/** Downloaded runtimes, kept for the next run: about 50 MB each. */
const RUNTIMES = join(ROOT, 'dist/runtimes')

interface Platform {
  /** The name in file names; `process.platform` and `process.arch` of Node, except for musl and Windows. */
  name: string
  target: Bun.Build.CompileTarget
  /** The npm package with Bun for this platform. */
  runtime: string
}

/** The platforms of a release. */
export const PLATFORMS: readonly Platform[] = [
  { name: 'linux-x64', target: 'bun-linux-x64', runtime: '@oven/bun-linux-x64' },
  { name: 'linux-x64-musl', target: 'bun-linux-x64-musl', runtime: '@oven/bun-linux-x64-musl' },
  { name: 'linux-arm64', target: 'bun-linux-arm64', runtime: '@oven/bun-linux-aarch64' },
  { name: 'linux-arm64-musl', target: 'bun-linux-arm64-musl', runtime: '@oven/bun-linux-aarch64-musl' },
  { name: 'darwin-x64', target: 'bun-darwin-x64', runtime: '@oven/bun-darwin-x64' },
  { name: 'darwin-arm64', target: 'bun-darwin-arm64', runtime: '@oven/bun-darwin-aarch64' },
  { name: 'windows-x64', target: 'bun-windows-x64', runtime: '@oven/bun-windows-x64' },
]

/** The dependencies of a package. */
interface DependencyLists {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** bun.lock: the `name@version`, source, dependencies and hash of each package. */
interface Lock {
  packages: Record<string, [id: string, source: string, meta: DependencyLists, hash: string]>
}

/** bun.lock is JSON with trailing commas, which is JavaScript. */
export async function readLock(): Promise<Lock> {
  return Bun.JSONC.parse(await Bun.file(join(ROOT, 'bun.lock')).text()) as Lock
}

/** The SHA-512 of a package's archive from bun.lock, in base64. */
function sha512Of(lock: Lock, lockName: string): string {
  const [, , , hash] = lock.packages[lockName] ?? []
  if (!hash?.startsWith('sha512-')) throw new Error(`bun.lock has no SHA-512 of ${lockName}`)
  return hash.slice('sha512-'.length)
}

/** Runs a command and returns its stdout. @throws with its output when it fails */
async function run(command: string[], cwd = ROOT): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}:\n${stdout}${stderr}`)
  return stdout
}

/**
 * Downloads Bun for a platform from the npm registry, verifies it with the hash in bun.lock, and returns its path. `bun build
 * --compile` would download the same file from GitHub without verification.
 */
export async function runtimeOf(packageName: string, lock: Lock): Promise<string> {
  const name = packageName.replace('@oven/', '')
  const archive = join(RUNTIMES, `oven-${name}-${Bun.version}.tgz`)
  await mkdir(RUNTIMES, { recursive: true })
  if (!(await Bun.file(archive).exists())) {
    await run(['npm', 'pack', '--silent', '--pack-destination', RUNTIMES, `${packageName}@${Bun.version}`])
  }
  const hash = new Bun.CryptoHasher('sha512').update(await Bun.file(archive).bytes()).digest('base64')
  if (hash !== sha512Of(lock, packageName))
    throw new Error(`${archive} does not match bun.lock: its SHA-512 is ${hash}`)
  const folder = join(RUNTIMES, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  await run(['tar', '-xzf', archive, '-C', folder])
  return join(folder, 'package/bin', name.includes('windows') ? 'bun.exe' : 'bun')
}

/** A license by its identifier, or an expression of several. */
function licenseOf(license: string): Models.License {
  return SPDX.isSupportedSpdxId(license) ? new Models.SpdxLicense(license) : new Models.LicenseExpression(license)
}

/** The bill of materials in CycloneDX 1.6, with dependencies. It has no time or serial number, so it is reproducible. */
export async function billOfMaterials(packages: readonly BundledPackage[], lock: Lock): Promise<string> {
  const component = (name: string, release: string, license: string, lockName: string) => {
    const [scope, bare] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name]
    const purl = `pkg:npm/${name.replace('@', '%40')}@${release}`
    const found = new Models.Component(Enums.ComponentType.Library, bare, { group: scope, version: release, purl })
    found.bomRef.value = purl
    found.licenses.add(licenseOf(license))
    found.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(sha512Of(lock, lockName), 'base64').toString('hex'))
    return found
  }
  const urlmeta = new Models.Component(Enums.ComponentType.Application, 'urlmeta', { version })
  urlmeta.bomRef.value = `urlmeta@${version}`
  urlmeta.licenses.add(licenseOf('MIT'))
  const components = new Map(
    [...packages, { name: 'bun', version: Bun.version, license: 'MIT', lockName: 'bun' }].map((item) => [
      item.lockName,
      component(item.name, item.version, item.license, item.lockName),
    ]),
  )
  for (const name of ['bun', ...Object.keys(dependencies)]) urlmeta.dependencies.add(components.get(name)!.bomRef)
  for (const { lockName } of packages) {
    const [, , lists] = lock.packages[lockName]!
    for (const name of Object.keys({ ...lists.dependencies, ...lists.peerDependencies })) {
      // A version nested in the dependent package has precedence over the shared one.
      const needed = components.get(`${lockName}/${name}`) ?? components.get(name)
      if (needed) components.get(lockName)!.dependencies.add(needed.bomRef)
    }
  }
  const bom = new Models.Bom({ components: new Models.ComponentRepository(components.values()) })
  bom.metadata.component = urlmeta
  const text = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)).serialize(bom, {
    sortLists: true,
    space: 2,
  })
  const faults = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)
  if (faults !== null) throw new Error(`The bill of materials is not CycloneDX 1.6: ${JSON.stringify(faults)}`)
  return text
}

/** Builds and archives the files for one platform. Returns a line with their sizes. */
async function writePlatform(platform: Platform, licenses: string, lock: Lock): Promise<string> {
  const name = `urlmeta-${platform.name}`
  const folder = join(RELEASE, name)
  const executable = join(folder, platform.name.startsWith('windows') ? 'urlmeta.exe' : 'urlmeta')
  await mkdir(folder)
  const runtime = await runtimeOf(platform.runtime, lock)
  await buildExecutable(executable, licenses, { target: platform.target, runtime })
  if (platform.name === `${process.platform}-${process.arch}`) await checkExecutable(executable)
  await Bun.write(join(folder, 'LICENSE'), Bun.file(join(ROOT, 'LICENSE')))
  await Bun.write(join(folder, 'urlmeta.1'), manPage())
  if (platform.name.startsWith('linux')) {
    await Bun.write(join(folder, 'urlmeta.service'), Bun.file(join(ROOT, 'docs/deploy/urlmeta.service')))
  }
  const { size } = await stat(executable)
  await writeArchive(folder, executable)
  await rm(folder, { recursive: true })
  return `${platform.name}: ${toMb(size)}, as an archive ${toMb((await stat(`${folder}.tar.gz`)).size)}`
}

/** Checks that the executable runs in an empty directory and has the version of the release. */
async function checkExecutable(executable: string): Promise<void> {
  const empty = await mkdtemp(join(tmpdir(), 'urlmeta-release-'))
  const built = JSON.parse(await run([executable, 'version', '--json'], empty)) as { version: string }
  await rm(empty, { recursive: true })
  if (built.version !== version) throw new Error(`The executable is version ${built.version}, not ${version}`)
}

/** Archives a folder. The result does not depend on the time, the user, the umask or the order of files. */
async function writeArchive(folder: string, executable: string): Promise<void> {
  for (const file of await readdir(folder)) await chmod(join(folder, file), 0o644)
  await chmod(executable, 0o755)
  await chmod(folder, 0o755)
  const anonymous = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=ustar']
  const compress = '--use-compress-program=gzip -n'
  await run(['tar', ...anonymous, compress, '-cf', `${folder}.tar.gz`, basename(folder)], dirname(folder))
}

/** Writes `SHA256SUMS` for all files in a folder, in the format of `sha256sum --check`. */
export async function writeChecksums(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name !== 'SHA256SUMS').toSorted()
  const lines = names.map(async (name) => {
    const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(join(folder, name)).bytes()).digest('hex')
    return `${hash}  ${name}\n`
  })
  await Bun.write(join(folder, 'SHA256SUMS'), (await Promise.all(lines)).join(''))
}

/** @param tag the tag of the release, such as `v1.2.3`; null for a test build */
async function writeRelease(tag: string | null): Promise<void> {
  if (tag !== null && tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json says ${version}`)
  if (tag !== null && (await run(['git', 'status', '--porcelain'])) !== '') {
    throw new Error('The tree has uncommitted changes')
  }
  await rm(RELEASE, { recursive: true, force: true })
  await mkdir(RELEASE, { recursive: true })
  const [packages, lock] = await Promise.all([bundledPackages(), readLock()])
  const licenses = await licensesOf(packages)
  for (const platform of PLATFORMS) console.log(await writePlatform(platform, licenses, lock))
  await Bun.write(join(RELEASE, 'urlmeta.cdx.json'), await billOfMaterials(packages, lock))
  await Bun.write(join(RELEASE, 'install.sh'), Bun.file(join(ROOT, 'docs/deploy/install.sh')))
  await writeChecksums(RELEASE)
  console.log(await Bun.file(join(RELEASE, 'SHA256SUMS')).text())
}

function toMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

if (import.meta.main) await writeRelease(process.argv[2] ?? null)
