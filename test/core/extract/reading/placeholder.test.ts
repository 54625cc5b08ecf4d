import { expect, test } from 'bun:test'

import { isPlaceholder, isTemporary } from '../../../../src/core/extract/reading/placeholder.ts'

test.each<[value: string, expected: boolean]>([
  ['{{ title }}', true],
  ['{{title}}{{name}}', true],
  ['{{ title }} | Site', true],
  ['{{ title }} - {{ site }}', true],
  ['${document.title}', true],
  ['<%= title %>', true],
  ['<%= title %> | Site', true],
  ['{{#if title}}{{title}}{{/if}}', true],
  ['${ page.title }', true],
  ['  {{ title }}  ', true],
  ['{{ title', false],
  ['What {{ and }} mean', false],
  ['{{ mustache }} templates explained', false],
  ['Price: ${price}', false],
  ['[[wiki]] links', false],
  ['${parameter} - Bash Reference Manual', false],
  ['${1+2} and more', false],
  ['[[ -f file ]]: Bash test', false],
  ['[[Wiki]] - links explained', false],
  ['{{#if}} - Handlebars', false],
  ['{% raw %}', false],
  ['<% - Ruby', false],
  ['{curly}', false],
  ['', false],
])('%p', (value, expected) => expect(isPlaceholder(value)).toBe(expected))

test.each<[title: string, expected: boolean]>([
  ['{{ title }}', true],
  ['Loading…', true],
  ['loading ...', true],
  [' Please wait.. ', true],
  ['Redirecting…', true],
  ['Loading', false],
  ['Loading… | Site', false],
  ['Please wait… for me', false],
])('%p is temporary: %p', (title, expected) => expect(isTemporary(title)).toBe(expected))
