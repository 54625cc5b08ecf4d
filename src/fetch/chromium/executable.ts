import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

import { attempt } from '../../core/attempt.ts'
import installations from './installations.json'

/**
 * The headless shell is Chromium without a window system. It renders several times as many pages on the same machine
 * (docs/benchmarks.md). Debian and Fedora package it; elsewhere it is part of "Chrome for Testing".
 */
export const HEADLESS_SHELL: Installation = installations.headlessShell

/**
 * Chromium, Chrome and Edge on Debian, Ubuntu, Fedora and others. Ubuntu's snap is last, because it cannot access the
 * profile directory.
 */
export const BROWSER: Installation = installations.browser

interface Installation {
  /** Absolute paths. */
  linux: readonly string[]
  /** Relative to the Applications folders. */
  darwin: readonly string[]
  /** Paths by platform, relative to the folder of a download. They depend on version and processor. */
  downloads: Readonly<Record<string, readonly string[]>>
}

/** Where to search; replaced by tests. */
interface SearchPlaces {
  platform: string
  home: string
  /** Prepended to absolute paths. */
  root: string
}

/**
 * The first Chromium installed by the system, the user, Playwright or Puppeteer, in the order of `kinds`; null for
 * none.
 */
export function findChromium(places: Partial<SearchPlaces> = {}, kinds = [HEADLESS_SHELL, BROWSER]): string | null {
  const { platform = process.platform, home = homedir(), root = '/' } = places
  return kinds.flatMap((kind) => candidates(kind, { platform, home, root })).find(isExecutable) ?? null
}

export function isExecutable(path: string): boolean {
  const isFile = attempt(() => {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  })
  return isFile ?? false
}

function candidates({ linux, darwin, downloads }: Installation, { platform, home, root }: SearchPlaces): string[] {
  const isMac = platform === 'darwin'
  const applications = [join(root, 'Applications'), join(home, 'Applications')]
  const installed = isMac
    ? applications.flatMap((folder) => darwin.map((path) => join(folder, path)))
    : linux.map((path) => join(root, path))
  const paths = downloads[platform] ?? []
  const playwright = join(home, isMac ? 'Library/Caches/ms-playwright' : '.cache/ms-playwright')
  const puppeteer = ['chrome-headless-shell', 'chrome'].map((kind) => join(home, '.cache/puppeteer', kind))
  return [...installed, ...[playwright, ...puppeteer].flatMap((cache) => inCache(cache, paths))]
}

/**
 * The paths in a download cache, newest version first. Playwright names its folders `chromium-1200` or
 * `chromium_headless_shell-1200`, Puppeteer `linux-140.0.7339.80` or `mac_arm-140.0.7339.80`.
 */
function inCache(cache: string, paths: readonly string[]): string[] {
  const versionOf = (folder: string) => /^(?:chromium|linux|mac)\w*-(\d[\d.]*)$/.exec(folder)?.[1] ?? ''
  const folders = attempt(() => readdirSync(cache)) ?? []
  return folders
    .filter((folder) => versionOf(folder) !== '')
    .toSorted((a, b) => versionOf(b).localeCompare(versionOf(a), 'en', { numeric: true }))
    .flatMap((folder) => paths.map((path) => join(cache, folder, path)))
}
