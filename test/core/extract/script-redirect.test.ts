import { describe, expect, test } from 'bun:test'

import { scriptRedirect } from '../../../src/core/extract/script-redirect.ts'

describe('a script that redirects', () => {
  test.each<[script: string, expected: string]>([
    ['location="/x"', '/x'],
    [' location = "/x" ; ', '/x'],
    ["location.href = '/x'", '/x'],
    ['location.href="/x";return false;', '/x'],
    ['window.location.replace("/x")', '/x'],
    ['window.top.location.assign( `/x` ) ;\n', '/x'],
    ['document.location.replace("/x") ; return false', '/x'],
    ['window.opener = null; location.replace("https:\\/\\/a.test\\/?a=1\\u0026b=2")', 'https://a.test/?a=1&b=2'],
    ['<!-- hidden\nlocation.replace("/x") // -->\n', '/x'],
  ])('%p', (script, expected) => expect(scriptRedirect(script)).toBe(expected))
})

describe('another script', () => {
  test.each([
    ['if (a) location="/x"'],
    ['location="/x"; track()'],
    ['location="/x" + id'],
    ['location=`/${id}`'],
    ['location="/x"; return true'],
    ['var location="/x"'],
    [''],
  ])('%p', (script) => expect(scriptRedirect(script)).toBeNull())
})

// A regular expression that tries each division of the white space would take minutes for each of these.
describe('4 KB of white space', () => {
  const SPACE = ' '.repeat(4_000)
  test.each([
    [`location="/x"${SPACE}!`],
    [`location.replace("/x")${SPACE};${SPACE}!`],
    [`location="/x";return false${SPACE}!`],
    [`location${SPACE}!`],
    [`${SPACE}location.replace(${SPACE}!`],
    [`<!--\n${SPACE}!`],
    [`opener=null;${SPACE}!`],
  ])('%#', (script) => expect(scriptRedirect(script)).toBeNull())
})
