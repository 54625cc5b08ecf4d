import { describe, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { devDependencies, scripts } from '../../package.json'
import { DRAIN_MS } from '../../src/core/limits.ts'

const ROOT = join(import.meta.dir, '../..')
const DEPLOY = join(ROOT, 'docs/deploy')
const read = (name: string) => Bun.file(join(DEPLOY, name)).text()

interface Instruction {
  name: string
  rest: string
}

/** The instructions before the first FROM and in each stage, without comments and with continued lines joined. */
function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (name === 'FROM' || stages.length === 0) stages.push([])
    stages.at(-1)!.push({ name, rest })
  }
  return stages
}

interface Service {
  build?: { context: string; dockerfile: string; args: string[] }
  volumes: string[]
  networks: string[]
  [key: string]: unknown
}
interface Compose {
  services: { urlmeta: Service & { environment: Record<string, string>; stop_grace_period: string }; caddy: Service }
  networks: Record<string, { ipam: { config: { subnet: string }[] } }>
  volumes: Record<string, null>
}
const { services, networks, volumes } = Bun.YAML.parse(await read('compose.yaml')) as Compose

describe('the Dockerfile', async () => {
  const stages = stagesOf(await read('Dockerfile'))
  const [global, build, image] = stages as [Instruction[], Instruction[], Instruction[]]
  const all = (stage: Instruction[], name: string) => stage.filter((item) => item.name === name).map(({ rest }) => rest)

  test('has valid instructions in two stages', () => {
    const names = new Set(stages.flat().map(({ name }) => name))
    const known = [
      'ARG',
      'FROM',
      'RUN',
      'WORKDIR',
      'COPY',
      'USER',
      'VOLUME',
      'ENV',
      'EXPOSE',
      'HEALTHCHECK',
      'ENTRYPOINT',
      'CMD',
    ]
    expect([...names].filter((name) => !known.includes(name))).toEqual([])
    expect(stages).toHaveLength(3)
  })

  test('uses images of a named release, and builds with the Node of the release workflow', async () => {
    const release = await Bun.file(join(ROOT, '.github/workflows/release.yml')).text()
    const node = /node-version: (\d+)/.exec(release)?.[1]
    expect(global.map(({ name, rest }) => `${name} ${rest}`)).toEqual([
      `ARG NODE_IMAGE=node:${node}-bookworm-slim`,
      'ARG DEBIAN_IMAGE=debian:bookworm-slim',
    ])
    expect(all(build, 'FROM')).toEqual(['${NODE_IMAGE} AS build'])
    expect(all(image, 'FROM')).toEqual(['${DEBIAN_IMAGE}'])
  })

  describe('its base images in a release', () => {
    const script = join(ROOT, '.ci/base-images')
    const digestOf = (tag: string) => `sha256:${new Bun.CryptoHasher('sha256').update(tag).digest('hex')}`

    /** Runs the script with a program as `docker`, which gets the image as its last argument. */
    async function baseImages(docker: string) {
      const programs = mkdtempSync(join(tmpdir(), 'urlmeta-docker-'))
      await Bun.write(join(programs, 'docker'), `#!/bin/bash\n${docker}\n`)
      chmodSync(join(programs, 'docker'), 0o755)
      const child = Bun.spawnSync([script], { env: { PATH: `${programs}:${process.env['PATH']}` } })
      rmSync(programs, { recursive: true })
      return { code: child.exitCode, stdout: child.stdout.toString(), stderr: child.stderr.toString() }
    }

    test('are the tags of the Dockerfile with their digests', async () => {
      const tags = global.map(({ rest }) => rest.split('=') as [name: string, tag: string])
      const inspect = `[ "$1 $2 $3" = 'buildx imagetools inspect' ]
        digest=sha256:$(printf %s "$4" | sha256sum | cut -d ' ' -f 1)
        printf 'Name:      %s\nDigest:    %s\n\nManifests:\n  Name:      %s@sha256:0\n' "$4" "$digest" "$4"`
      const lines = tags.map(([name, tag]) => `${name}=${tag}@${digestOf(tag)}\n`)
      expect(await baseImages(inspect)).toEqual({ code: 0, stdout: lines.join(''), stderr: '' })
      expect(services.urlmeta.build!.args).toEqual(tags.map(([name]) => name))
    })

    test.each([
      ['a registry that cannot be reached', 'exit 1'],
      ['a response without a digest', 'echo Name: node'],
    ])('fail with %s', async (_, docker) => {
      expect(await baseImages(docker)).toMatchObject({ code: 1, stdout: '' })
    })
  })

  describe('its image in a release', () => {
    const IMAGE = 'ghcr.io/urlmeta/urlmeta:1.2.3'
    const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string]

    /** Runs the script in a tree with a release; `docker` prints its arguments and the executable of the build context. */
    async function pushImage(change: (release: string) => void = () => {}) {
      const tree = mkdtempSync(join(tmpdir(), 'urlmeta-image-'))
      const release = join(tree, 'dist/release')
      const folder = `urlmeta-linux-${process.arch}`
      await Bun.write(join(tree, '.ci/image'), Bun.file(join(ROOT, '.ci/image')))
      await Bun.write(join(release, folder, 'urlmeta'), 'the executable')
      await Bun.write(join(release, 'base-images.env'), 'DEBIAN_IMAGE=debian@sha256:0\n')
      await Bun.write(
        join(tree, 'bin/docker'),
        `#!/bin/sh
echo "$@" "$DEBIAN_IMAGE"; for each; do case $each in build=*) cat "\${each#*=}/src/dist/urlmeta" ;; esac; done
`,
      )
      for (const program of ['.ci/image', 'bin/docker']) chmodSync(join(tree, program), 0o755)
      Bun.spawnSync(['sh', '-c', `tar -czf ${folder}.tar.gz ${folder} && sha256sum *.gz > SHA256SUMS`], {
        cwd: release,
      })
      change(release)
      const env = { PATH: `${join(tree, 'bin')}:${process.env['PATH']}` }
      const child = Bun.spawnSync([join(tree, '.ci/image'), IMAGE], { env })
      rmSync(tree, { recursive: true })
      return { code: child.exitCode, stdout: child.stdout.toString() }
    }

    test.if(arch !== undefined)('has its executable, on base images with digests', async () => {
      const { code, stdout } = await pushImage()
      expect([code, stdout]).toEqual([0, expect.stringContaining(`--tag ${IMAGE}-${arch} --push . debian@sha256:0`)])
      expect(stdout).toEndWith('the executable')
    })

    test('is not built from an archive with another checksum', async () => {
      const { code, stdout } = await pushImage((release) =>
        appendFileSync(join(release, `urlmeta-linux-${process.arch}.tar.gz`), 'x'),
      )
      expect([code, stdout]).toEqual([1, `urlmeta-linux-${process.arch}.tar.gz: FAILED\n`])
    })
  })

  test('copies only files of the repository', () => {
    for (const paths of all(build, 'COPY').filter((rest) => rest !== '. .'))
      for (const path of paths.split(' ').slice(0, -1))
        expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
    expect(all(build, 'RUN')).toContain('npm run setup')
    expect(scripts.setup).toContain(`bun@${devDependencies.bun}`)
    expect(all(image, 'COPY')).toEqual(['--from=build /src/dist/urlmeta /usr/local/bin/urlmeta'])
  })

  test('removes package lists, and installs no recommended packages', () => {
    const installs = stages.flatMap((stage) => all(stage, 'RUN')).filter((rest) => rest.includes('apt-get install'))
    expect(installs).toHaveLength(2)
    for (const rest of installs) {
      expect(rest).toStartWith('apt-get update && apt-get install -y --no-install-recommends ')
      expect(rest).toContain('&& rm -rf /var/lib/apt/lists/*')
    }
  })

  test('runs as a user who owns only the data, under an init, with a health check', () => {
    expect(all(image, 'USER')).toEqual(['10001:10001'])
    expect(all(image, 'RUN')[0]).toContain('install -d -o urlmeta -g urlmeta -m 0700 /data')
    expect(image.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      image.findLastIndex(({ name }) => name === 'RUN'),
    )
    expect(all(image, 'ENTRYPOINT')).toEqual(['["tini", "--", "urlmeta"]'])
    for (const program of ['tini', 'curl', 'chromium-headless-shell'])
      expect(all(image, 'RUN')[0]).toContain(` ${program} `)
  })

  test.each([
    [200, true],
    [503, false],
  ])('checks /readyz at the configured port: %i', async (status, isHealthy) => {
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => new Response('', { status: new URL(url).pathname === '/readyz' ? status : 404 }),
    })
    const [, command = ''] = / CMD (.+)$/.exec(all(image, 'HEALTHCHECK')[0]!) ?? []
    const child = Bun.spawn(['sh', '-c', command], {
      env: { PATH: process.env['PATH'], URLMETA_PORT: String(server.port) },
      stderr: 'ignore',
    })
    expect((await child.exited) === 0).toBe(isHealthy)
  })

  test('excludes data, secrets and packages of other platforms from the build', async () => {
    const ignored = (await read('Dockerfile.dockerignore')).split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'dist', 'data', '.env']))
    expect(ignored).not.toContain('.git')
  })
})

describe('compose.yaml', () => {
  test('gives the service a read-only root, no capabilities, and limits', () => {
    expect(services.urlmeta).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true', 'seccomp=./seccomp.json'],
      mem_limit: '2g',
      pids_limit: 1024,
    })
    // Only reachable through the proxy.
    expect(services.urlmeta['ports']).toBeUndefined()
  })

  test('lets requests in progress finish', () => {
    expect(Number.parseInt(services.urlmeta.stop_grace_period, 10) * 1000).toBeGreaterThan(DRAIN_MS)
  })

  test('trusts the network of the proxy', () => {
    expect(services.urlmeta.networks).toEqual(services.caddy.networks)
    expect(services.urlmeta.environment['URLMETA_TRUSTED_PROXIES']).toBe(
      networks[services.urlmeta.networks[0]!]!.ipam.config[0]!.subnet,
    )
  })

  test('refers to existing files and volumes', () => {
    const { context, dockerfile } = services.urlmeta.build!
    expect(existsSync(join(DEPLOY, context, dockerfile))).toBe(true)
    for (const source of Object.values(services).flatMap((service) =>
      service.volumes.map((line) => line.split(':')[0]!),
    )) {
      const exists = source.startsWith('./') ? existsSync(join(DEPLOY, source)) : source in volumes
      expect([source, exists]).toEqual([source, true])
    }
  })
})

describe('seccomp.json', async () => {
  interface Rule {
    names: string[]
    action: string
    args?: { index: number; value: number; valueTwo?: number; op: string }[]
  }
  const { defaultAction, syscalls } = JSON.parse(await read('seccomp.json')) as {
    defaultAction: string
    syscalls: Rule[]
  }
  const allowed = syscalls.filter(({ action, args }) => action === 'SCMP_ACT_ALLOW' && args === undefined)
  const names = allowed.flatMap((rule) => rule.names)

  test('denies system calls that are not listed', () => expect(defaultAction).toBe('SCMP_ACT_ERRNO'))

  test('lists each system call once', () => {
    const every = syscalls.flatMap((rule) => rule.names)
    expect(every.filter((name, index) => every.indexOf(name) !== index)).toEqual([])
  })

  test.each([
    'mount',
    'pivot_root',
    'ptrace',
    'bpf',
    'keyctl',
    'init_module',
    'kexec_load',
    'perf_event_open',
    'clone',
    'unshare',
  ])('does not allow every call of %s', (name) => expect(names).not.toContain(name))

  test('allows only the namespaces that the sandbox of Chromium needs', () => {
    const rule = syscalls.find((item) => item.names.includes('unshare'))!
    const [NEWNS, NEWCGROUP, NEWUTS, NEWIPC] = [0x20000, 0x2000000, 0x4000000, 0x8000000] as const
    expect(rule.args).toEqual([
      { index: 0, value: NEWNS | NEWCGROUP | NEWUTS | NEWIPC, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
    ])
    expect(names).toContain('chroot')
  })
})
