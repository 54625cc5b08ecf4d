import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { findChromium } from '../../../src/fetch/chromium/executable.ts'

/** A directory with programs at the given paths; those that end in `!` are not executable. */
function withFiles(paths: readonly string[], look: (root: string) => void) {
  const root = mkdtempSync(join(tmpdir(), 'urlmeta-places-'))
  try {
    for (const path of paths) {
      const file = join(root, path.replace('!', ''))
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, '')
      chmodSync(file, path.endsWith('!') ? 0o644 : 0o755)
    }
    look(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

const CACHE = 'home/.cache/ms-playwright'
const PUPPETEER = 'home/.cache/puppeteer'
const SHELL_DOWNLOAD = 'chrome-headless-shell-linux64/chrome-headless-shell'
const MAC_CACHE = 'home/Library/Caches/ms-playwright'

test.each<[name: string, platform: string, files: string[], found: string | null]>([
  ['nothing', 'linux', [], null],
  ['Debian', 'linux', ['usr/bin/chromium'], 'usr/bin/chromium'],
  ['Ubuntu with Chrome', 'linux', ['usr/bin/google-chrome-stable'], 'usr/bin/google-chrome-stable'],
  ['Ubuntu with the snap', 'linux', ['snap/bin/chromium'], 'snap/bin/chromium'],
  ['Fedora', 'linux', ['usr/bin/chromium-browser'], 'usr/bin/chromium-browser'],
  ['not an executable that cannot be run', 'linux', ['usr/bin/chromium!', 'snap/bin/chromium'], 'snap/bin/chromium'],
  ['not a directory', 'linux', ['usr/bin/chromium/README'], null],
  [
    'Playwright',
    'linux',
    [`${CACHE}/chromium-1200/chrome-linux64/chrome`],
    `${CACHE}/chromium-1200/chrome-linux64/chrome`,
  ],
  [
    "Playwright's shell",
    'linux',
    [`${CACHE}/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell`],
    `${CACHE}/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell`,
  ],
  ["Debian's headless shell", 'linux', ['usr/bin/chromium-headless-shell'], 'usr/bin/chromium-headless-shell'],
  [
    "Fedora's headless shell",
    'linux',
    ['usr/lib64/chromium-browser/headless_shell'],
    'usr/lib64/chromium-browser/headless_shell',
  ],
  [
    'Chrome for Testing, unpacked',
    'linux',
    ['opt/chrome-headless-shell-linux64/chrome-headless-shell'],
    'opt/chrome-headless-shell-linux64/chrome-headless-shell',
  ],
  [
    "Puppeteer's newest shell",
    'linux',
    ['99.0.1.2', '140.0.7339.80'].map(
      (version) => `${PUPPETEER}/chrome-headless-shell/linux-${version}/${SHELL_DOWNLOAD}`,
    ),
    `${PUPPETEER}/chrome-headless-shell/linux-140.0.7339.80/${SHELL_DOWNLOAD}`,
  ],
  [
    "Puppeteer's Chrome",
    'linux',
    [`${PUPPETEER}/chrome/linux-140.0.7339.80/chrome-linux64/chrome`],
    `${PUPPETEER}/chrome/linux-140.0.7339.80/chrome-linux64/chrome`,
  ],
  [
    'a headless shell before Chromium',
    'linux',
    ['usr/bin/chromium', 'usr/bin/chromium-headless-shell'],
    'usr/bin/chromium-headless-shell',
  ],
  [
    "Playwright's headless shell before the system's Chromium",
    'linux',
    ['usr/bin/chromium', `${CACHE}/chromium_headless_shell-1200/${SHELL_DOWNLOAD}`],
    `${CACHE}/chromium_headless_shell-1200/${SHELL_DOWNLOAD}`,
  ],
  [
    'Chromium where the headless shell cannot be run',
    'linux',
    ['usr/bin/chromium', 'usr/bin/chromium-headless-shell!'],
    'usr/bin/chromium',
  ],
  [
    'the newest of Playwright',
    'linux',
    [`${CACHE}/chromium-999/chrome-linux/chrome`, `${CACHE}/chromium-1100/chrome-linux/chrome`],
    `${CACHE}/chromium-1100/chrome-linux/chrome`,
  ],
  ['no other browser of Playwright', 'linux', [`${CACHE}/firefox-1400/chrome-linux/chrome`], null],
  [
    'the system before Playwright',
    'linux',
    ['usr/bin/chromium', `${CACHE}/chromium-9/chrome-linux/chrome`],
    'usr/bin/chromium',
  ],
  [
    'macOS',
    'darwin',
    ['Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    'Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  [
    'macOS, a headless shell',
    'darwin',
    [
      'Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      `${MAC_CACHE}/chromium_headless_shell-1200/chrome-headless-shell-mac-arm64/chrome-headless-shell`,
    ],
    `${MAC_CACHE}/chromium_headless_shell-1200/chrome-headless-shell-mac-arm64/chrome-headless-shell`,
  ],
  [
    "macOS, the user's own",
    'darwin',
    ['home/Applications/Chromium.app/Contents/MacOS/Chromium'],
    'home/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  [
    'macOS, Playwright',
    'darwin',
    [`${MAC_CACHE}/chromium-1100/chrome-mac/Chromium.app/Contents/MacOS/Chromium`],
    `${MAC_CACHE}/chromium-1100/chrome-mac/Chromium.app/Contents/MacOS/Chromium`,
  ],
])('%s', (_, platform, files, found) =>
  withFiles(files, (root) => {
    const expected = found === null ? null : join(root, found)
    expect(findChromium({ platform, root, home: join(root, 'home') })).toBe(expected)
  }),
)
