import { describe, expect, test } from 'bun:test'

import { normalizeName } from '../../../../src/core/extract/sources/person-name.ts'
import { visibleName } from '../../../../src/core/extract/author/visible-name.ts'

describe('a name in a byline', () => {
  test.each<[text: string, name: string | undefined]>([
    ['Jo Doe', 'Jo Doe'],
    ['By Jo Doe and Ann Roe', 'Jo Doe and Ann Roe'],
    ['By Jo Doe, May 4, 2016', 'Jo Doe'],
    ['By Jo Doe 4 May 2016', 'Jo Doe'],
    ['By April May', 'April May'],
    ['By Jo Doe | May 4, 2016', 'Jo Doe'],
    ['By Jo Doe on May 4, 2016', 'Jo Doe'],
    ['By Jo Doe - Example', 'Jo Doe'],
    ['Jo Doe-Roe', 'Jo Doe-Roe'],
    ["Ludwig van der O'Doe", "Ludwig van der O'Doe"],
    ['後藤大地', '後藤大地'],
    [`${'A '.repeat(11)}A`, `${'A '.repeat(11)}A`],
    [`${'A '.repeat(12)}A`, undefined],
    ['著者プロフィール', undefined],
    ['About Jo Doe', undefined],
    ['Follow', undefined],
    ['Staff Writer', undefined],
    ['Photo: Jo Doe', undefined],
    ['all of us', undefined],
    ['May', undefined],
    ['x'.repeat(300), undefined],
  ])('%s', (text, name) => expect(visibleName(text, normalizeName)).toBe(name))
})
