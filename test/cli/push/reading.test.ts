import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createProgress, stepText } from '../../../src/cli/shared/progress.ts'
import { createFileReader } from '../../../src/import/lines.ts'
import {
  cellsOf,
  createSplitter,
  csvEnd,
  type Dialect,
  decode,
  delimiterOf,
  markOf,
  withoutBreak,
} from '../../../src/import/pieces.ts'
import { readValue } from '../../../src/import/rows.ts'
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

function* inChunks(text: string, sizes: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
    const end = at + (sizes[nth % sizes.length] ?? bytes.length)
    yield bytes.subarray(at, end)
    at = end
  }
}

interface Row {
  line: number
  cells: string[]
}

/** The rows of a file of CSV as they stand there, the header among them. */
function rowsIn(text: string, sizes: readonly number[]): Row[] {
  const dialect: Dialect = { delimiter: null, quote: '"' }
  const mark = markOf(Buffer.from(text).subarray(0, 3), 'utf-8')
  const splitter = createSplitter(csvEnd(dialect), { offset: mark, line: 1 })
  const rows: Row[] = []
  for (const chunk of [...inChunks(text.slice(mark === 0 ? 0 : 1), sizes), null])
    for (const { begin, bytes } of splitter.add(chunk ?? Buffer.alloc(0), chunk === null)) {
      const row = decode(withoutBreak(bytes), 'utf-8') ?? ''
      dialect.delimiter ??= delimiterOf(row)
      rows.push({ line: begin.line, cells: cellsOf(row, dialect.delimiter, '"') })
    }
  return rows
}

const HINTS = { decimal: '--decimal', unknownColumn: () => '', missingColumn: '', notUtf8: '' }

/** The values of a file of JSON as they stand there, each with its line. */
function valuesIn(format: 'json' | 'ndjson', text: string, sizes: readonly number[]): { line: number; json: string }[] {
  const csv = { delimiter: null, quote: '"', decimal: null }
  const reader = createFileReader({ resource: 'prices', format, encoding: 'utf-8', columns: null, csv, hints: HINTS })
  const lines = [...inChunks(text, sizes).flatMap((chunk) => [...reader.add(chunk)]), ...reader.end()]
  return lines.map(({ line, raws }) => ({ line, json: raws.map(({ bytes }) => bytes.toString()).join('') }))
}

const Sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })

describe('CSV', () => {
  test('When any cells are written as CSV, then they are read as they were, each row with its line', () => {
    const rows = fc
      .integer({ min: 2, max: 5 })
      .chain((columns) => fc.array(fc.array(Cell, { minLength: columns, maxLength: columns }), { maxLength: 8 }))
    const property = fc.property(
      rows,
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      Sizes,
      (cells, delimiter, end, always, mark, last, sizes) => {
        const table = [Array.from({ length: cells[0]?.length ?? 2 }, (_, index) => `h${index}`), ...cells]
        const lines = table.map((row) => row.map((cell) => written(cell, always)).join(delimiter))
        const text = `${mark ? '\uFEFF' : ''}${lines.join(end)}${last ? end : ''}`
        let line = 1
        const expected = table.map((row, index): Row => {
          const at = line
          line += 1 + ((lines[index] ?? '').match(/\r\n|\n|\r/g)?.length ?? 0)
          return { line: at, cells: row }
        })
        expect(rowsIn(text, sizes)).toEqual(expected)
      },
    )
    fc.assert(property, often(200))
  })

  test('When cells hold the other delimiters, then the header decides', () => {
    const text = '"a,b;c;d;e"\tx\n1,2,3\t4;5\n'
    expect(rowsIn(text, [1])).toEqual([
      { line: 1, cells: ['a,b;c;d;e', 'x'] },
      { line: 2, cells: ['1,2,3', '4;5'] },
    ])
  })
})

describe('JSON', () => {
  test('When any values are written as an array, then each comes with its line, in chunks of any size', () => {
    const property = fc.property(
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 }),
      fc.constantFrom(undefined, 2),
      Sizes,
      (values, space, sizes) => {
        const found = valuesIn('json', JSON.stringify(values, null, space), sizes)
        expect(found.map(({ json }) => JSON.parse(json))).toEqual(JSON.parse(JSON.stringify(values)))
        if (space === undefined) expect(found.every(({ line }) => line === 1)).toBe(true)
      },
    )
    fc.assert(property, often(200))
  })

  test('When objects stand on lines, then both readers give the same', () => {
    const property = fc.property(fc.array(fc.object({ maxDepth: 2 }), { minLength: 1 }), Sizes, (values, sizes) => {
      const text = values.map((value) => JSON.stringify(value)).join('\n')
      const lines = valuesIn('ndjson', text, sizes)
      expect(valuesIn('json', text, sizes)).toEqual(lines)
      expect(lines.map(({ line }) => line)).toEqual(values.map((_, index) => index + 1))
    })
    fc.assert(property, often(100))
  })
})

describe('numbers', () => {
  const read = (cell: string, decimal: '.' | ',' | null, commas: boolean) =>
    readValue(cell, 'decimal', { decimal, commas, saidBy: '--decimal point or --decimal comma' })

  test.each<[string, '.' | ',' | null, boolean, string]>([
    ['1399', null, false, '1399'],
    ['1399.50', null, false, '1399.50'],
    ['-0.5', null, true, '-0.5'],
    ['.5', null, false, '0.5'],
    ['1399,50', null, false, '1399.50'],
    ['1399,500', null, true, '1399.500'],
    ['0,125', null, true, '0.125'],
    ['1.399', null, false, '1.399'],
    ['1,399', ',', true, '1.399'],
    ['1.399', '.', true, '1.399'],
    ['12345678901234567890,12', null, true, '12345678901234567890.12'],
  ])('When a cell is %s (sign %s, semicolons: %s), then it is %s', (cell, sign, commas, value) => {
    expect(read(cell, sign, commas)).toEqual({ value })
  })

  test.each<[string, '.' | ',' | null, boolean, RegExp]>([
    ['1,399', null, false, /may be 1399 or 1\.399: --decimal point or --decimal comma settles it/],
    ['1.399', null, true, /may be 1399 or 1\.399/],
    ['1.399', ',', true, /found "1\.399", expected a number with "," before its decimals/],
    ['1.399,50', null, true, /expected a number like 1399\.50, without thousands/],
    ['1 399,50', null, true, /expected a number/],
    ['NOK 20', null, true, /expected a number/],
    ['1e3', null, true, /expected a number/],
  ])('When a cell is %s (sign %s, semicolons: %s), then it is a fault', (cell, sign, commas, fault) => {
    expect(read(cell, sign, commas)).toEqual({ fault: expect.stringMatching(fault) })
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
    expect(stepText(step, 10_000, true)).toBe('sending    [##########..............]  40 %  12,000 of 30,000  10 s')
    expect(stepText({ ...step, doing: 'taking', of: 12_000 }, 12_000, true)).toBe(
      'taking     all 12,000 are sent, the hub is taking them  12 s',
    )
    expect(stepText({ doing: 'reading', done: 0, of: 0, unit: 'bytes' }, 0, false)).toBe(
      'reading      0 %  0.0 of 0.0 MB  0 s',
    )
  })
})
