import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Spec, Validation } from '@cyclonedx/cyclonedx-library'

import { dependencies, version } from '../package.json'
import { buildExecutable as buildTo, bundledPackages, licensesOf, type BundledPackage } from '../build.ts'
import { billOfMaterials, PLATFORMS, readLock, writeChecksums } from '../release.ts'
import { openWorkspace } from './executable.ts'
import { whenThorough } from './thorough.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const ROOT = join(import.meta.dir, '..')

/** The separator of license sections. */
const RULE = `\n\n${'='.repeat(80)}\n`

const folder = mkdtempSync(join(tmpdir(), 'urlmeta-release-'))
afterAll(() => rmSync(folder, { recursive: true }))

let packages: BundledPackage[]
let licenses: string
beforeAll(async () => {
  packages = await bundledPackages()
  licenses = await licensesOf(packages)
})

describe('the packages in the executable', () => {
  // Only types, so the executable has no code of it.
  const erased = ['@commander-js/extra-typings']

  test('are all dependencies, and their dependencies', () => {
    const names = packages.map(({ name }) => name)
    const direct = Object.keys(dependencies).filter((name) => !erased.includes(name))
    expect(names).toEqual(expect.arrayContaining(direct))
    // An indirect dependency.
    expect(names).toContain('pino-std-serializers')
  })

  test('do not include development dependencies', () => {
    const names = packages.map(({ name }) => name)
    for (const name of ['typescript', 'ajv', 'drizzle-kit', '@kitajs/ts-html-plugin']) expect(names).not.toContain(name)
  })

  test('declare a license that allows redistribution', () => {
    const declared = new Set(packages.map(({ license }) => license))
    const permissive = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', '0BSD']
    expect([...declared].filter((license) => !permissive.includes(license))).toEqual([])
  })
})

describe('licenses', () => {
  test('are those of the project, the runtime, the icons and every package', async () => {
    const sections = licenses.split(RULE)
    const heads = sections.map((section) => section.split('\n')[0])
    expect(heads).toEqual([
      `urlmeta ${version}`,
      `Bun ${Bun.version}, the runtime in the executable`,
      'Lucide, line icons in views/ui/icons.svg',
      ...packages.map((item) => `${item.name} ${item.version} (${item.license})`),
    ])
    expect(sections[0]).toContain((await Bun.file(join(ROOT, 'LICENSE')).text()).trim())
    expect(sections[1]).toContain('LGPL-2')
  })

  test('are complete', () => {
    const sections = licenses.split(RULE)
    // Its package has no text; playwright-core includes the text of the Apache License.
    const withoutFile = sections.filter((section) => section.includes('has no license file'))
    expect(withoutFile.map((section) => section.split(' ')[0])).toEqual(['drizzle-orm'])
    for (const section of sections.filter((text) => !withoutFile.includes(text))) {
      expect(section).toMatch(/permi(ssion|tted)|licen[cs]e/i)
      expect(section.length).toBeGreaterThan(500)
    }
    // Code bundled in a package is included: playwright-core contains `ws`.
    expect(/^%% ws@\d/m.test(licenses)).toBe(true)
  })
})

describe('the bill of materials', async () => {
  const lock = await readLock()
  let text: string
  beforeAll(async () => {
    text = await billOfMaterials(packages, lock)
  }, PATIENT_TEST_MS)

  interface Bom {
    components: { name: string; group?: string; version: string; purl: string; hashes: { content: string }[] }[]
    dependencies: { ref: string; dependsOn?: string[] }[]
  }

  test('is CycloneDX', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    expect(await validator.validate(text)).toBeNull()
    // The validator rejects an invalid document.
    expect(await validator.validate(text.replace('"library"', '"libary"'))).not.toBeNull()
  })

  test('has the runtime and every package, with the hash of bun.lock', async () => {
    const { components } = JSON.parse(text) as Bom
    expect(components).toHaveLength(packages.length + 1)
    const found = new Map(components.map((component) => [component.purl, component.hashes[0]!.content]))
    for (const { name, version: release, lockName } of [
      ...packages,
      { name: 'bun', version: Bun.version, lockName: 'bun' },
    ]) {
      const hash = Buffer.from(lock.packages[lockName]![3].replace('sha512-', ''), 'base64').toString('hex')
      expect(found.get(`pkg:npm/${name.replace('@', '%40')}@${release}`)).toBe(hash)
    }
  })

  test('has the dependencies of every package', async () => {
    const { components, dependencies: needs } = JSON.parse(text) as Bom
    const dependsOn = new Map(needs.map(({ ref, dependsOn: refs = [] }) => [ref, refs]))
    const reached = new Set<string>()
    const walk = (ref: string) => {
      if (reached.has(ref)) return
      reached.add(ref)
      dependsOn.get(ref)!.forEach(walk)
    }
    walk(needs.find(({ ref }) => ref.startsWith('urlmeta@'))!.ref)
    expect(components.map(({ purl }) => purl).filter((purl) => !reached.has(purl))).toEqual([])
    const [pretty] = [...dependsOn].find(([ref]) => ref.startsWith('pkg:npm/pino-pretty@'))!
    // The version it depends on, if there are two.
    const own = packages.find(({ lockName }) => lockName === 'pino-pretty/sonic-boom')!.version
    expect(dependsOn.get(pretty)).toContain(`pkg:npm/sonic-boom@${own}`)
  })

  test('is reproducible', async () => {
    expect((await billOfMaterials(packages, lock)) === text).toBe(true)
    expect(text).not.toMatch(/timestamp|serialNumber/)
  })
})

test.each(PLATFORMS.map(({ name, runtime }) => [name, runtime]))(
  'bun.lock has the hash of the runtime for %s',
  async (_, runtime) => {
    const [id, , , hash] = (await readLock()).packages[runtime]!
    expect(id).toBe(`${runtime}@${Bun.version}`)
    expect(hash).toMatch(/^sha512-[\w+/]{86}==$/)
  },
)

test('checksums match the output of sha256sum', async () => {
  const release = join(folder, 'release')
  for (const name of ['b.tar.gz', 'a.json']) await Bun.write(join(release, name), name)
  await writeChecksums(release)
  await writeChecksums(release)
  const check = Bun.spawnSync(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: release })
  expect(check.stdout.toString()).toBe('a.json: OK\nb.tar.gz: OK\n')
})

describe('the executable', () => {
  const executable = Bun.file(join(ROOT, 'dist/urlmeta'))

  test('does not contain the build directory', async () => {
    expect(Buffer.from(await executable.bytes()).includes(ROOT)).toBe(false)
  })

  whenThorough(() => {
    test(
      'is reproducible',
      async () => {
        const again = join(folder, 'urlmeta')
        await buildTo(again, licenses)
        expect(Bun.SHA256.hash(await Bun.file(again).bytes(), 'hex')).toBe(
          Bun.SHA256.hash(await executable.bytes(), 'hex'),
        )
      },
      PATIENT_TEST_MS,
    )
  })

  test('prints its licenses', async () => {
    await using place = openWorkspace()
    const { code, stdout, stderr } = await place.run(['version', '--licenses'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout === `${licenses}\n`).toBe(true)
  })

  test('prints either licenses or JSON', async () => {
    await using place = openWorkspace()
    expect(await place.run(['version', '--licenses', '--json'])).toMatchObject({ code: 2, stdout: '' })
  })
})
