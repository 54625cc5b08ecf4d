import { expect, test } from 'bun:test'

import { isPlaceholder } from '../../../src/core/extract/placeholder.ts'

test.each<[value: string, expected: boolean]>([
  ['{{ title }}', true],
  ['{{title}}{{name}}', true],
  ['{{ title }} | Site', true],
  ['{{ title }} - {{ site }}', true],
  ['${document.title}', true],
  ['<%= title %>', true],
  ['{% block title %}{% endblock %}', true],
  ['[[title]]', true],
  ['  {{ title }}  ', true],
  ['{{ title', false],
  ['What {{ and }} mean', false],
  ['{{ mustache }} templates explained', false],
  ['Price: ${price}', false],
  ['[[wiki]] links', false],
  ['{curly}', false],
  ['', false],
])('%p', (value, expected) => expect(isPlaceholder(value)).toBe(expected))
