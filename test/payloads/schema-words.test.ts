import { expect, test } from 'vitest'
import { fieldsInSchema } from '../../src/payloads/schema/payload-schema.ts'
import { changesOf, changeText, type SchemaVersion, withVersion } from '../../src/payloads/schema/versions.ts'

/* The words that a schema limits fields to. */

const wordsIn = (schema: unknown) =>
  Object.fromEntries((fieldsInSchema({ properties: { status: schema } }) ?? []).map(({ path, words }) => [path, words]))

test.each([
  ['a list of words', { type: 'string', enum: ['Picked', 'Expired'] }, ['Expired', 'Picked']],
  ['words or nothing', { enum: ['Picked', null] }, ['Picked']],
  ['numbers', { type: 'integer', enum: [2, 1] }, ['1', '2']],
  ['constants as alternatives', { oneOf: [{ const: 'A' }, { const: 'B' }, { type: 'null' }] }, ['A', 'B']],
  ['words of the items of a list', { type: 'array', items: { enum: ['A'] } }, ['A']],
  ['words in a part of it', { allOf: [{ description: 'x' }, { enum: ['A'] }] }, ['A']],
  ['any text', { type: 'string' }, undefined],
  ['words or any text', { anyOf: [{ enum: ['A'] }, { type: 'string' }] }, undefined],
  ['more words than anybody reads', { enum: Array.from({ length: 301 }, (_, no) => `W${no}`) }, undefined],
  ['a word as long as a sentence', { enum: ['x'.repeat(61)] }, undefined],
])('When a field has %s, then that is what it is limited to', (_, schema, words) => {
  expect(wordsIn(schema)).toEqual({ status: words })
})

test('When words are said elsewhere in the schema, round about even, then they are found, and it comes to an end', () => {
  const of = (definitions: object) =>
    fieldsInSchema({ properties: { status: { $ref: '#/definitions/S' } }, definitions })?.[0]?.words
  expect(of({ S: { enum: ['A'] } })).toEqual(['A'])
  expect(of({ S: { $ref: '#/definitions/S' } })).toBeUndefined()
  expect(of({ S: { allOf: [{ $ref: '#/definitions/S' }] } })).toBeUndefined()
})

function versionsOf(...schemas: readonly unknown[]): readonly SchemaVersion[] {
  return schemas.reduce<readonly SchemaVersion[]>(
    (versions, status, at) => withVersion(versions, fieldsInSchema({ properties: { status, no: {} } }) ?? [], at),
    [],
  )
}

const texts = (...schemas: readonly unknown[]) => changesOf(versionsOf(...schemas)).map(changeText)

test.each([
  ['gets a word', [{ enum: ['A', 'B'] }, { enum: ['C', 'B', 'A'] }], ['status (C) with new words']],
  ['loses one', [{ enum: ['A', 'B'] }, { enum: ['A'] }], ['status (no more B) with fewer words']],
  [
    'gets one and loses one',
    [{ enum: ['A', 'B'] }, { enum: ['A', 'C'] }],
    ['status (C) with new words; status (no more B) with fewer words'],
  ],
  ['may have any from now on', [{ enum: ['A'] }, { type: 'string' }], ['status (any) with new words']],
  ['may have only some from now on', [{ type: 'string' }, { enum: ['A'] }], ['status (to A) with fewer words']],
  ['has them in another order', [{ enum: ['A', 'B'] }, { enum: ['B', 'A'] }], []],
  ['becomes a number', [{ enum: ['A'] }, { type: 'integer' }], ['status (text, now number) of another type']],
  ['is as it was', [{ type: 'string' }, { type: 'string' }], []],
])('When a field %s, then that is a change, told in words, or none', (_, schemas, told) => {
  expect(texts(...schemas)).toEqual(told)
})
