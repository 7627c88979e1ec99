import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byRow } from '../../../src/platform/odata/body.ts'

const rowsOf = (text: string) => {
  const found = byRow(Buffer.from(text))
  return found && { ...found, value: [...(found.value as Iterable<unknown>)] }
}

describe('an odata answer, row by row', () => {
  test('When it is an object with a list, then it is what JSON says it is, whatever stands around and in it', () => {
    const value = fc.array(fc.jsonValue(), { maxLength: 8 })
    const others = fc.dictionary(
      fc.string().filter((name) => !['value', '__proto__'].includes(name.toLowerCase())),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(others, value, others, fc.nat(3), (before, rows, after, space) => {
        const text = JSON.stringify({ ...before, value: rows, ...after }, null, space)
        expect(rowsOf(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('When names and rows hold quotes, brackets and escapes, then they are not taken for the list', () => {
    const answer = {
      '"value":[': 'x',
      inner: { value: [1] },
      Value: [{ a: '}],"\\"' }, [[']']], 'a,b', 1.5, null, true],
    }
    const { Value: rows, ...rest } = answer
    expect(rowsOf(`\uFEFF${JSON.stringify(answer)}`)).toEqual({ ...rest, Value: [], value: rows })
  })

  test.each([
    ['a list alone', '[{"a":1}]'],
    ['no list in value', '{"value":{"a":1}}'],
    ['broken off', '{"value":[{"a":1},'],
    ['broken behind the list', '{"value":[{"a":1}]'],
    ['markup', '<html></html>'],
    ['nothing', ''],
  ])('When it is %s, then it is read as a whole', (_, text) => {
    expect(byRow(Buffer.from(text))).toBeNull()
  })

  test('When a row is broken, then it is named', () => {
    expect(() => rowsOf('{"value":[{"a":1},{"a":}]}')).toThrow('row 2 is not JSON')
  })
})
