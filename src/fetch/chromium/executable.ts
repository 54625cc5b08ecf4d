import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where Debian, Ubuntu, Fedora and others put it; Ubuntu's snap, which cannot see our folder, comes last. */
const LINUX_PATHS: readonly string[] = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/bin/chromium-browser',
  '/usr/bin/microsoft-edge-stable',
  '/snap/bin/chromium',
]

const MAC_APPLICATIONS: readonly string[] = [
  'Chromium.app/Contents/MacOS/Chromium',
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]

/** Inside each folder of Playwright's cache; which of them depends on its version and the processor. */
const IN_PLAYWRIGHT_CACHE: Readonly<Record<string, readonly string[]>> = {
  linux: [
    'chrome-linux64/chrome',
    'chrome-linux/chrome',
    'chrome-headless-shell-linux64/chrome-headless-shell',
    'chrome-linux/headless_shell',
  ],
  darwin: [
    'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
    'chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-headless-shell-mac-arm64/chrome-headless-shell',
    'chrome-headless-shell-mac-x64/chrome-headless-shell',
  ],
}

/** Where to look; tests look elsewhere. */
export interface SearchPlaces {
  platform: string
  home: string
  /** In front of every absolute path. */
  root: string
}

/** The first Chromium that the system, its user, or a Playwright has installed; null where there is none. */
export function findChromium(places: Partial<SearchPlaces> = {}): string | null {
  const { platform = process.platform, home = homedir(), root = '/' } = places
  return candidates({ platform, home, root }).find(isExecutable) ?? null
}

/** Whether there is a program that can be started. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function candidates({ platform, home, root }: SearchPlaces): string[] {
  if (platform === 'darwin') {
    const folders = [join(root, 'Applications'), join(home, 'Applications')]
    const installed = folders.flatMap((folder) => MAC_APPLICATIONS.map((path) => join(folder, path)))
    return [...installed, ...inPlaywrightCache(platform, join(home, 'Library/Caches/ms-playwright'))]
  }
  const installed = LINUX_PATHS.map((path) => join(root, path))
  return [...installed, ...inPlaywrightCache(platform, join(home, '.cache/ms-playwright'))]
}

/** The newest version first: folders are called `chromium-1200` or `chromium_headless_shell-1200`. */
function inPlaywrightCache(platform: string, cache: string): string[] {
  const revisionOf = (folder: string) => Number(/^chromium\w*-(\d+)$/.exec(folder)?.[1] ?? Number.NaN)
  const folders = namesIn(cache).filter((folder) => !Number.isNaN(revisionOf(folder)))
  return folders
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
    .flatMap((folder) => (IN_PLAYWRIGHT_CACHE[platform] ?? []).map((path) => join(cache, folder, path)))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
