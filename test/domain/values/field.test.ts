import { describe, expect, test } from 'vitest'
import { completes } from '../../../src/domain/queue/dedupe.ts'
import { field, text } from '../../../src/domain/values/field.ts'
import { growth, LINEAR } from '../../growth.ts'

/** `abcdefghijklmnop` with the bits of a number as capitals: keys that differ in nothing but case. */
function inCase(bits: number): string {
  return [...'abcdefghijklmnop'].map((letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join('')
}

function objectOf(count: number, key: (index: number) => string): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), 7]))
}

describe('fields of objects of any size', () => {
  test.each([3, 32, 33, 5_000])('when an object has %d keys, then each is found in whatever case', (count) => {
    const record = objectOf(count, (index) => `Key${index}`)

    for (const name of ['Key2', 'key2', 'KEY2']) expect(field(record, name)).toBe(7)
    expect(field(record, 'key')).toBeUndefined()
    expect(field(record, 'toString')).toBeUndefined()
  })

  test.each([2, 40])(
    'when several of %d differ in case, then the one as documented counts, else the first',
    (count) => {
      const record = { ...objectOf(count, (index) => `other${index}`), TOTAL: 1, Total: 2, total: 3 }

      expect(field(record, 'total')).toBe(3)
      expect(field(record, 'Total')).toBe(2)
      expect(field(record, 'ToTaL')).toBe(1)
    },
  )

  test('when a thousand names are looked for among many keys, then each key is read once', () => {
    const ask = (record: object) => Array.from({ length: 1_000 }, (_, index) => field(record, `key${index}`))

    expect(growth(4_000, (size) => objectOf(size, (index) => `Key${index}`), ask)).toBeLessThan(LINEAR)
  })

  test('when two payloads have the same keys in other case, then they are compared in linear time', () => {
    const pair = (size: number) => [objectOf(size, inCase), objectOf(size, (index) => inCase(0xffff - index))] as const

    expect(growth(4_000, pair, ([one, other]) => completes(one, other))).toBeLessThan(LINEAR)
  })

  test('when thousands of values are compared with one long text, then it is not read as a number each time', () => {
    const pair = (size: number) => [{ abcdefghijklmnop: '0'.repeat(size * 8) }, objectOf(size, inCase)] as const

    expect(growth(4_000, pair, ([one, other]) => completes(one, other))).toBeLessThan(LINEAR)
  })
})

test('When a field is text or a number that there is, then it is text; anything else is none', () => {
  const of = (found: unknown) => text({ Name: found }, 'name')
  expect([of(' a '), of(7), of(0)]).toEqual(['a', '7', '0'])
  expect([of(' '), of(JSON.parse('1e999')), of(true), of(null), of({}), text(null, 'name')]).toEqual(
    Array(6).fill(null),
  )
})
