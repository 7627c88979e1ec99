import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Row, readRows } from '../../../src/cli/push/csv.ts'
import { type DecimalSign, readNumber } from '../../../src/cli/push/decimal.ts'
import { readElements, readLines } from '../../../src/cli/push/json.ts'
import { createProgress } from '../../../src/cli/push/progress.ts'
import { stepText } from '../../../src/cli/push/step-text.ts'
import { often } from '../../often.ts'

/** What CSV has to carry: quotes, delimiters, line breaks of every kind, other scripts. */
const Cell = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({
    unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r\n', '\r', ' ', 'a', 'é', '😀', '\uFEFF'),
    maxLength: 8,
  }),
)

/** Writes a cell as RFC 4180 has it; `always`: in quotes even where it needs none. */
function written(cell: string, always: boolean): string {
  return always || /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A text in pieces of any size; as a decoder gives it, characters are whole. */
async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<string> {
  const characters = Array.from(text)
  let at = 0
  for (let nth = 0; at < characters.length; nth += 1) {
    const size = sizes[nth % sizes.length] ?? characters.length
    yield characters.slice(at, at + size).join('')
    at += size
  }
}

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(found)
}

const Sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })

describe('CSV', () => {
  test('When any cells are written as CSV, then they are read as they were, each row with its line', async () => {
    const rows = fc
      .integer({ min: 2, max: 5 })
      .chain((columns) => fc.array(fc.array(Cell, { minLength: columns, maxLength: columns }), { maxLength: 8 }))
    const property = fc.asyncProperty(
      rows,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      Sizes,
      async (cells, delimiter, end, always, mark, last, sizes) => {
        const table = [Array.from({ length: cells[0]?.length ?? 2 }, (_, index) => `h${index}`), ...cells]
        const lines = table.map((row) =>
          row.map((cell) => written(cell, always || cell.includes('\uFEFF'))).join(delimiter),
        )
        const text = `${mark ? '\uFEFF' : ''}${lines.join(end)}${last ? end : ''}`
        let line = 1
        const expected = table.map((row, index): Row => {
          const at = line
          line += 1 + ((lines[index] ?? '').match(/\r\n|\n|\r/g)?.length ?? 0)
          return { line: at, cells: row }
        })
        const found = await all(readRows(inPieces(text, sizes)))
        expect(found.map((row) => row.cells)).toEqual(expected.map((row) => row.cells))
        // A file counts lone carriage returns and line feeds together in no editor alike.
        if (!/\r(?!\n)/.test(text)) expect(found).toEqual(expected)
      },
    )
    await fc.assert(property, often(200))
  })

  test('When cells hold the other delimiters, then the header decides', async () => {
    const text = '"a,b;c;d;e"\tx\n1,2,3\t4;5\n'
    expect(await all(readRows(inPieces(text, [1])))).toEqual([
      { line: 1, cells: ['a,b;c;d;e', 'x'] },
      { line: 2, cells: ['1,2,3', '4;5'] },
    ])
  })
})

describe('JSON', () => {
  test('When any values are written as an array, then each comes with its line, in pieces of any size', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }),
      fc.constantFrom(undefined, 2),
      Sizes,
      async (values, space, sizes) => {
        const found = await all(readElements(inPieces(JSON.stringify(values, null, space), sizes)))
        expect(found.map(({ json }) => JSON.parse(json))).toEqual(JSON.parse(JSON.stringify(values)))
        for (const { json } of found) expect(json).not.toMatch(/[\r\n]/)
        if (space === undefined) expect(found.every(({ line }) => line === 1)).toBe(true)
      },
    )
    await fc.assert(property, often(200))
  })

  test('When objects stand on lines, then both readers give the same', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.object({ maxDepth: 2 }), { minLength: 1 }),
      Sizes,
      async (values, sizes) => {
        const text = values.map((value) => JSON.stringify(value)).join('\n')
        const lines = await all(readLines(inPieces(text, sizes)))
        expect(await all(readElements(inPieces(text, sizes)))).toEqual(lines)
        expect(lines.map(({ line }) => line)).toEqual(values.map((_, index) => index + 1))
      },
    )
    await fc.assert(property, often(100))
  })
})

describe('numbers', () => {
  test.each<[string, DecimalSign | null, boolean, string]>([
    ['1399', null, false, '1399'],
    ['1399.50', null, false, '1399.50'],
    ['-0.5', null, true, '-0.5'],
    ['.5', null, false, '0.5'],
    ['1399,50', null, false, '1399.50'],
    ['1399,500', null, true, '1399.500'],
    ['0,125', null, true, '0.125'],
    ['1.399', null, false, '1.399'],
    ['1,399', 'comma', true, '1.399'],
    ['1.399', 'point', true, '1.399'],
    ['12345678901234567890,12', null, true, '12345678901234567890.12'],
  ])('When a cell is %s (sign %s, semicolons: %s), then it is %s', (cell, sign, commas, decimal) => {
    expect(readNumber(cell, { sign, commas })).toEqual({ decimal })
  })

  test.each<[string, DecimalSign | null, boolean, RegExp]>([
    ['1,399', null, false, /may be 1399 or 1\.399\. Write it so, or say --decimal/],
    ['1.399', null, true, /may be 1399 or 1\.399/],
    ['1.399', 'comma', true, /has a point, but the numbers of this file have a comma/],
    ['1.399,50', null, true, /is not a number\. Write it like 1399\.50, without thousands/],
    ['1 399,50', null, true, /is not a number/],
    ['NOK 20', null, true, /is not a number/],
    ['1e3', null, true, /is not a number/],
  ])('When a cell is %s (sign %s, semicolons: %s), then it is a fault', (cell, sign, commas, fault) => {
    expect(readNumber(cell, { sign, commas })).toEqual({ fault: expect.stringMatching(fault) })
  })
})

describe('progress', () => {
  const step = { doing: 'sending', done: 12_000, of: 30_000, unit: 'items' } as const

  test('When it is a terminal, then one line moves; elsewhere a line comes every few seconds', () => {
    let now = 0
    for (const isTTY of [true, false]) {
      now = 0
      const written: string[] = []
      const progress = createProgress({ isTTY, columns: 100, write: (text) => written.push(text) }, () => now)
      for (; now <= 10_000; now += 50) progress.show({ ...step, done: now })
      const before = written.length
      now += 10_000
      progress.tick()
      expect(written).toHaveLength(before + 1)
      progress.say('It goes on.')
      if (isTTY) expect(written.length).toBeGreaterThan(90)
      else expect(written).toHaveLength(4)
      expect(written.at(-1)).toBe('It goes on.\n')
      expect(written.slice(0, -2).every((text) => text.startsWith('\r') === isTTY)).toBe(true)
    }
  })

  test('When it is put in words, then it says part, count, rate and what is left', () => {
    expect(stepText(step, 10_000, true)).toBe(
      'sending    [##########..............]  40 %  12,000 of 30,000, 1,200/s  15 s left',
    )
    expect(stepText({ ...step, doing: 'taking', of: 12_000 }, 12_000, true)).toBe(
      'taking     all 12,000 are sent, the hub is taking them  12 s',
    )
    expect(stepText({ doing: 'reading', done: 0, of: 0, unit: 'bytes' }, 0, false)).toBe(
      'reading      0 %  0.0 of 0.0 MB',
    )
  })
})
