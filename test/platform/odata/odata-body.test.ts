import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NotJson } from '../../../src/platform/http/read.ts'
import { byRow, rowsIn } from '../../../src/platform/odata/body.ts'

const cut = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, nth) => bytes.subarray(nth * size, (nth + 1) * size))

const rowsOf = async (text: string, size = 1_000_000_000) => {
  const bytes = Buffer.from(text)
  const found = (await byRow(cut(bytes, Math.min(size, bytes.length || 1)), { member: 'value' })) as {
    value: Iterable<unknown>
  }
  return found && { ...found, value: [...found.value] }
}

describe('an odata answer, row by row', () => {
  test('When it is an object with a list, then it is what JSON says it is, whatever stands around and in it', async () => {
    const value = fc.array(fc.jsonValue(), { maxLength: 8 })
    const others = fc.dictionary(
      fc.string().filter((name) => !['value', '__proto__'].includes(name.toLowerCase())),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(
        ...([others, value, others, fc.nat(3), fc.integer({ min: 1, max: 40 })] as const),
        async (before, rows, after, space, size) => {
          const text = JSON.stringify({ ...before, value: rows, ...after }, null, space)
          expect(await rowsOf(text, size)).toEqual(JSON.parse(text))
        },
      ),
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
    expect(await byRow([Buffer.from(text)], { member: 'value' })).toBeNull()
  })

  test('When a list is the whole answer, then it is what JSON says it is, in whatever pieces it comes', async () => {
    const sizes = [fc.nat(3), fc.integer({ min: 1, max: 40 })] as const
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 8 }), ...sizes, async (rows, space, size) => {
        const text = `${space > 1 ? '\uFEFF ' : ''}${JSON.stringify(rows, null, space)}`
        const found = await byRow(cut(Buffer.from(text), size), 'list')
        expect([...(found as Iterable<unknown>)]).toEqual(JSON.parse(JSON.stringify(rows)))
      }),
    )
  })

  test('When rows were read, then their pieces are let go', async () => {
    const pieces = cut(Buffer.from(JSON.stringify(Array.from({ length: 1_000 }, (_, row) => ({ row })))), 512)
    const rows = rowsIn(pieces)
    const before = pieces.length
    for (let nth = 0; nth < 500; nth += 1) rows.next()
    expect(pieces.length).toBeLessThan(before * 0.6)
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

  test('When a row is broken, then that one is no JSON, in whatever pieces it comes', async () => {
    const broken = ['{"a":}', '{"a":"x\ny"}', 'NaN', "{'a':[1,2]}"]
    for (const size of [1, 3, 7, 1_000])
      expect(await rowsOf(`{"value":[{"a":1}, ${broken.join(' , ')} ,{"a":2}],"last":1}`, size)).toEqual({
        value: [{ a: 1 }, ...broken.map((text) => new NotJson(text)), { a: 2 }],
        last: 1,
      })
  })
})
