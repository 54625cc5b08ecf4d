// The longest time in which the player is found in the markup of an oEmbed response, with markup that is slow to parse.
//   bun bench/player.ts
import { parse } from 'node-html-parser'

import { playerOf } from '../src/core/oembed/player.ts'

const CHARACTERS = 8 * 1024
const RUNS = 7

const STARTS = ['', '<iframe', '<iframe ', '<iframe src=', '<iframe src="', "<iframe a='", '<!--<iframe ']
const REPEATED =
  '<|<a>|<div>|<!--|<iframe|<iframe |<iframe >|<iframe src=a>|a=b |a |a="" |a=|= |=|"|\'|"a|/|/ | |x|&|&lt;|-|:|a-'
const ENDS = ['', '>', '">', "'>", '/>']

const snippets = STARTS.flatMap((start) =>
  REPEATED.split('|').flatMap((unit) =>
    ENDS.map((end) => start + unit.repeat(CHARACTERS).slice(0, CHARACTERS - start.length - end.length) + end),
  ),
)

/** The shortest of several runs, in milliseconds. */
function durationOf(run: () => unknown): number {
  const runs = Array.from({ length: RUNS }, () => {
    const startedAt = performance.now()
    run()
    return performance.now() - startedAt
  })
  return Math.min(...runs)
}

const slowest = (find: (html: string) => unknown) => {
  const durations = snippets.map((html) => ({ html, ms: durationOf(() => find(html)) }))
  const { html, ms } = durations.toSorted((a, b) => b.ms - a.ms)[0]!
  return `${ms.toFixed(2)} ms: ${html.slice(0, 24)}…${html.slice(-6)}`
}

console.log(`${snippets.length} snippets of ${CHARACTERS} characters, the slowest:`)
console.log(`as urlmeta does         ${slowest((html) => playerOf({ html }, () => undefined))}`)
console.log(`all of it is parsed     ${slowest((html) => parse(html).querySelector('iframe'))}`)
