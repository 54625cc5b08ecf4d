import { describe, expect, test } from 'bun:test'

import { subjectClassOf, typeNames } from '../../../../src/core/extract/json-ld/subject-class.ts'
import { SCHEMA_TYPES, schemaTypes } from './write-schema-types.ts'

describe('classes of types', () => {
  test('come from the hierarchy of schema.org', async () => {
    expect(await Bun.file(SCHEMA_TYPES).json()).toEqual(await schemaTypes())
  })

  test.each([
    ['schema:SatiricalArticle', 'article'],
    ['https://schema.org/LiveBlogPosting', 'article'],
    ['APIReference', 'article'],
    ['ReviewNewsArticle', 'article'],
    ['JobPosting', 'article'],
    ['Audiobook', 'work'],
    ['MotorizedBicycle', 'work'],
    ['Hackathon', 'work'],
    ['MedicalWebPage', 'page'],
    ['RealEstateListing', 'page'],
    ['VideoObjectSnapshot', 'media'],
    ['Recommendation', 'review'],
    ['Question', 'question'],
    ['HowToStep', undefined],
    ['ImageObjectSnapshot', undefined],
    ['CorrectionComment', undefined],
    ['WebSite', undefined],
    ['WPHeader', undefined],
    ['Person', undefined],
    ['NGO', undefined],
    ['constructor', undefined],
  ])('%s is %s', (type, subjectClass) => expect(subjectClassOf(typeNames([type]))).toBe(subjectClass as never))
})
