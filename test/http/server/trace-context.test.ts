import { expect, test } from 'bun:test'

import { parseTraceparent } from '../../../src/http/server/trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const IDS = { traceId: TRACE, parentId: PARENT }

// https://www.w3.org/TR/trace-context/#traceparent-header-field-values and #versioning-of-traceparent
test.each<[name: string, header: string, expected: object | null]>([
  ['version 00', `00-${TRACE}-${PARENT}-01`, IDS],
  ['not sampled', `00-${TRACE}-${PARENT}-00`, IDS],
  ['flags that are not known', `00-${TRACE}-${PARENT}-ff`, IDS],
  ['a later version', `cc-${TRACE}-${PARENT}-01`, IDS],
  ['a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-the-future-brings`, IDS],
  ['a later version with a longer field', `cc-${TRACE}-${PARENT}-01.what`, null],
  ['version 00 with more fields', `00-${TRACE}-${PARENT}-01-more`, null],
  ['version ff', `ff-${TRACE}-${PARENT}-01`, null],
  ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`, null],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, null],
  ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, null],
  ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`, null],
  ['a long parent id', `00-${TRACE}-${PARENT}0-01`, null],
  ['no flags', `00-${TRACE}-${PARENT}`, null],
  ['two headers', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, null],
  ['nothing', '', null],
  ['a later version that is too long', `cc-${TRACE}-${PARENT}-01-${'x'.repeat(256)}`, null],
])('%s', (_, header, expected) => expect(parseTraceparent(header)).toEqual(expected as never))
