import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byRow } from '../../../src/platform/odata/body.ts'

const rowsOf = async (text: string) => {
  const found = await byRow(Buffer.from(text))
  return found && { ...found, value: [...(found.value as Iterable<unknown>)] }
}

describe('an odata answer, row by row', () => {
  test('When it is an object with a list, then it is what JSON says it is, whatever stands around and in it', async () => {
    const value = fc.array(fc.jsonValue(), { maxLength: 8 })
    const others = fc.dictionary(
      fc.string().filter((name) => !['value', '__proto__'].includes(name.toLowerCase())),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(others, value, others, fc.nat(3), async (before, rows, after, space) => {
        const text = JSON.stringify({ ...before, value: rows, ...after }, null, space)
        expect(await rowsOf(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('When names and rows hold quotes, brackets and escapes, then they are not taken for the list', async () => {
    const answer = {
      '"value":[': 'x',
      inner: { value: [1] },
      Value: [{ a: '}],"\\"' }, [[']']], 'a,b', 1.5, null, true],
    }
    const { Value: rows, ...rest } = answer
    expect(await rowsOf(`\uFEFF${JSON.stringify(answer)}`)).toEqual({ ...rest, Value: [], value: rows })
  })

  test.each([
    ['a list alone', '[{"a":1}]'],
    ['no list in value', '{"value":{"a":1}}'],
    ['broken off', '{"value":[{"a":1},'],
    ['broken behind the list', '{"value":[{"a":1}]'],
    ['markup', '<html></html>'],
    ['nothing', ''],
  ])('When it is %s, then it is read as a whole', async (_, text) => {
    expect(await byRow(Buffer.from(text))).toBeNull()
  })

  test('When it is longer than what is looked through at one go, then others have turns, and it is read alike', async () => {
    const answer = {
      value: Array.from({ length: 60_000 }, (_, row) => ({ row, text: `"[{${'\\é'.repeat(row % 40)}` })),
      last: 1,
    }
    let turns = 0
    const counting = setInterval(() => (turns += 1), 0)
    expect(await rowsOf(JSON.stringify(answer))).toEqual(answer)
    clearInterval(counting)
    expect(turns).toBeGreaterThan(0)
  })

  test('When a row is broken, then it is named', async () => {
    await expect(rowsOf('{"value":[{"a":1},{"a":}]}')).rejects.toThrow('row 2 is not JSON')
  })
})
