import { describe, expect, test } from 'bun:test'

import { scriptRedirect } from '../../../../src/core/extract/page/script-redirect.ts'

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
    ['location="/x\\x26\\u{3d}\\u{1f600}\\u{110000}\\z"', '/x&=😀z'],
    ['<!-- hidden\nlocation.replace("/x") // -->\n', '/x'],
    ['// to the app\n/* 2 */ location = "/x"', '/x'],
    ['window.onload = function () { window.location.href = "/x"; };', '/x'],
    ['onload=()=>{location="/x"}', '/x'],
    ['setTimeout(function(){ location.replace("/x") }, 0)', '/x'],
    ['window.setTimeout(() => { location = "/x" }, 5000);', '/x'],
    ['(function () { /* a */ location.replace("/x"); })();', '/x'],
    ['(() => {location.replace("/x")}())', '/x'],
  ])('%p', (script, expected) => expect(scriptRedirect(script)).toBe(expected))
})

describe('another script', () => {
  test.each([
    ['if (a) location="/x"'],
    ['location="/x"; track()'],
    ['location="/x" + id'],
    ['location=`/${id}`'],
    ['// location="/x"'],
    ['function go() { location = "/x" }'],
    ['setTimeout(function(){ location = "/x" }, 5001)'],
    ['setTimeout(function(){ if (a) location = "/x" }, 0)'],
    ['(function () { location = "/x" })'],
    ['onload = function () { location = "/x" }; track()'],
    ['button.onclick = function () { location = "/x" }'],
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
    [`onload=function(${SPACE}!`],
    [`setTimeout(${SPACE}function()${SPACE}{${SPACE}!`],
    [`(()=>{${'}'.repeat(2_000)}${SPACE}!`],
    [`/*${'*'.repeat(4_000)}`],
    [`${'/**/ '.repeat(800)}!`],
  ])('%#', (script) => expect(scriptRedirect(script)).toBeNull())
})
