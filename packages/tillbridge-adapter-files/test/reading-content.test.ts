import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLines, type Line } from '../../../src/import/lines.ts'
import { often } from '../../../test/often.ts'
import { createSurvey } from '../src/intake.ts'
import { ReadOptions, type Source } from '../src/options.ts'

function sourceOf(resource: string, given: Record<string, unknown> = {}): Source {
  const [source] = ReadOptions.parse({ [resource]: { pattern: '*.csv', ...given } })
  if (!source) throw new Error('no source')
  return source
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, no) => bytes.subarray(no * size, (no + 1) * size))
}

/** Reads a file twice, as the adapter does: to see that it can be read, and for its lines. */
function read(source: Source, content: string | Buffer, size = 1_000_000): Line[] {
  const bytes = Buffer.from(content)
  const surveying = createSurvey(source)
  for (const chunk of chunksOf(bytes, Math.max(size, 3))) surveying.add(chunk)
  const survey = surveying.end()
  const lines = createLines(source, { place: survey.begin, header: survey.header })
  const rest = chunksOf(bytes.subarray(survey.begin.offset), size)
  return [...rest.flatMap((chunk) => [...lines.add(chunk)]), ...lines.end()]
}

const valuesOf = (source: Source, content: string | Buffer) => read(source, content).map(({ value }) => value)
const faultsOf = (source: Source, content: string | Buffer) =>
  read(source, content).flatMap(({ line, faults }) => faults.map((fault) => `${line}: ${fault}`))

const PRICES = sourceOf('prices')

describe('CSV', () => {
  test.each([
    ['line feeds', 'list,gtin,price\nA,1,2\nB,3,4\n'],
    ['carriage returns too', 'list,gtin,price\r\nA,1,2\r\nB,3,4\r\n'],
    ['carriage returns alone', 'list,gtin,price\rA,1,2\rB,3,4\r'],
    ['no end of the last line', 'list,gtin,price\nA,1,2\nB,3,4'],
    ['semicolons', 'list;gtin;price\nA;1;2\nB;3;4\n'],
    ['tabs', 'list\tgtin\tprice\nA\t1\t2\nB\t3\t4\n'],
    ['bars', 'list|gtin|price\nA|1|2\nB|3|4\n'],
    ['a mark at its beginning', '\ufefflist,gtin,price\nA,1,2\nB,3,4\n'],
    ['quotes', '"list","gtin","price"\n"A","1","2"\n"B","3","4"\n'],
    ['blanks around everything', '  List , GTIN ,price  \n A , 1 , "2" \n\tB, 3 ,4\t\n'],
    ['empty lines, and lines of delimiters alone', '\n\nlist,gtin,price\n\nA,1,2\n,,\n \nB,3,4\n\n\n'],
    ['empty columns at the end', 'list,gtin,price,,\nA,1,2,,\nB,3,4,,\n'],
  ])('When it has %s, then it says the same', (_, content) => {
    const expected = [
      { list: 'A', gtin: '1', price: '2' },
      { list: 'B', gtin: '3', price: '4' },
    ]
    expect(valuesOf(PRICES, content)).toEqual(expected)
    for (const size of [3, 4, 7]) expect(read(PRICES, content, size).map(({ value }) => value)).toEqual(expected)
  })

  test('When cells hold delimiters, quotes and line breaks, then lines are still those of the file', () => {
    const content = 'list,gtin,price\n"A, ""old""\r\nand new",1,2\n"",2,3\nB,3,4\n'
    expect(read(PRICES, content).map(({ line, value }) => [line, value])).toEqual([
      [2, { list: 'A, "old"\r\nand new', gtin: '1', price: '2' }],
      [4, { gtin: '2', price: '3' }],
      [5, { list: 'B', gtin: '3', price: '4' }],
    ])
  })

  test.each([
    ['2', '2'],
    ['-1399.50', '-1399.50'],
    ['1399,50', '1399.50'],
    [',5', '0.5'],
    ['007', '007'],
  ])('When a number is written %s, then it is %s', (written, expected) => {
    expect(valuesOf(PRICES, `list;gtin;price\nA;1;${written}\n`)).toMatchObject([{ price: expected }])
  })

  test.each([
    [null, '1.399', 'may be 1399 or 1.399: csv.decimal'],
    [null, '1 399', 'expected a number like 1399.50'],
    [null, '1.399,50', 'expected a number like 1399.50'],
    [',', '1.5', 'expected a number with "," before its decimals'],
    ['.', '1,5', 'expected a number with "." before its decimals'],
  ])('When the decimal sign is %s and a number is written %s, then it is refused', (decimal, written, expected) => {
    const source = sourceOf('prices', decimal === null ? {} : { csv: { decimal } })
    expect(faultsOf(source, `list;gtin;price\nA;1;${written}\n`)).toEqual([expect.stringContaining(expected)])
  })

  test('When cells are no numbers, no yes or no, or a GTIN is shortened, then each is told', () => {
    const content = 'extId,price,isWebAvailable,gtin\nA,x,maybe,7.04E+12\nB,1\nC,1,yes,1,more\nD,1,no,1,,\n'
    expect(faultsOf(sourceOf('products'), content)).toEqual([
      '2: price: found "x", expected a number like 1399.50, without thousands signs',
      '2: isWebAvailable: found "maybe", expected true or false (yes, no, 1, 0)',
      '2: gtin: "7.04E+12" was a long number until a spreadsheet shortened it: format its column as text there',
      '3: the row has 2 cells, the header has 4',
      '4: the row has 5 cells, the header has 4',
    ])
  })

  test('When a header has thousands of price lists, then each is read, and it takes no time that grows with their square', () => {
    const names = Array.from({ length: 20_000 }, (_, nth) => `productPrices.List ${nth}`)
    const began = performance.now()
    const [value] = valuesOf(
      sourceOf('products'),
      `extId,${names.join(',')}\nA,${names.map((_, nth) => nth).join(',')}\n`,
    )
    expect(value?.productPrices).toHaveLength(20_000)
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test.each([
    ['a quote that does not end', 'list,gtin,price\nA,1,2\n"B,3,4\n', /^Line 3: a cell begins with a quote/],
    ['a quote within a cell', 'list,gtin,price\nA,1,2\nB,3/4" pipe,4\n', /^Line 3: a quote within a cell/],
    ['text after a quote', 'list,gtin,price\n"A"B,1,2\n', /^Line 2: a quote within a cell/],
    ['an unknown column', 'list,gtin,prise\n', /^Line 1: The column "prise" is not known: did you mean price\?/],
    ['a column twice', 'list,gtin,price,Price\n', /^Line 1: The column "Price" stands twice/],
    ['a missing column', 'list,gtin\n', /^Line 1: The header lacks price\. It has list, gtin/],
    ['UTF-16', '\xff\xfel\0i\0', /^It is UTF-16/],
    ['a row without an end', `list,gtin,price\nA,1,"${'x'.repeat(4_100_000)}`, /^Line 2: /],
  ])('When it has %s, then it cannot be read, and the line is named', (_, content, expected) => {
    expect(() => read(PRICES, Buffer.from(content, 'latin1'))).toThrow(expected)
    if (content.length < 1_000) expect(() => read(PRICES, Buffer.from(content, 'latin1'), 3)).toThrow(expected)
  })

  test('Whatever cells hold, and wherever chunks end, they are read as they were written', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'å', '€', '1'), maxLength: 6 })
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(',', ';'),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        (rows, delimiter, end, size) => {
          const source = sourceOf('stock-adjustments', {
            columns: { stockId: 'A', gtin: 'B', quantity: '=1' },
            csv: { delimiter },
          })
          const content = stringify([['A', 'B'], ...rows], { delimiter, record_delimiter: end, quoted: true })
          const found = read(source, content, size)
          const expected = rows.map((row) => row.map((one) => one.trim() || undefined)).filter(([a, b]) => a ?? b)
          expect(found.map(({ value }) => [value.stockId, value.gtin])).toEqual(expected)
          // From the end of each line on, there are those after it.
          for (const [index, { end: place }] of found.entries()) {
            const header = {
              delimiter,
              lineEnd: end,
              raw: Buffer.from('A'),
              cells: 2,
              columns: boundOf(source, content),
            }
            const lines = createLines(source, { place, header })
            const rest = Buffer.from(content).subarray(place.offset)
            const after = [...lines.add(rest), ...lines.end()]
            expect(after.map(({ line }) => line)).toEqual(found.slice(index + 1).map(({ line }) => line))
          }
        },
      ),
      often(200),
    )
  })
})

function boundOf(source: Source, content: string) {
  const surveying = createSurvey(source)
  surveying.add(Buffer.from(content))
  return surveying.end().header?.columns ?? []
}

describe('columns of the system', () => {
  const columns = {
    extId: 'Article no',
    name: 'Name',
    price: 'Price',
    'productSizes.gtin': 'EAN',
    'productSizes.stockQty.12': 'Central',
    'productPrices.Norway': 'Price',
    isWebAvailable: '=yes',
    season: '=AW26',
  }

  test('When config has them, then others are passed over, and constants are the same in all rows', () => {
    const content = 'EAN,Article no,Name,Price,Central,Buyer\n1,A,Hat,10,4,Ola\n2,A,Hat,10,,\n'
    expect(valuesOf(sourceOf('products', { columns }), content)).toEqual([
      {
        extId: 'A',
        name: 'Hat',
        price: '10',
        productSizes: [{ gtin: '1', stockQty: [{ stockId: '12', qty: '4' }] }, { gtin: '2' }],
        productPrices: [{ pricelistName: 'Norway', price: '10' }],
        isWebAvailable: true,
        season: 'AW26',
      },
    ])
  })

  test('When one of them is not in the header, or twice, then the file cannot be read; others may be there twice', () => {
    const source = sourceOf('products', { columns })
    expect(() => read(source, 'EAN,Article no,Name,Central\n')).toThrow(
      /^Line 1: There is no column "Price" in the header, which has EAN, Article no, Name, Central/,
    )
    expect(() => read(source, 'EAN,Article no,Name,Price,Central,price\n')).toThrow(/"Price" stands twice/)
    expect(read(source, 'EAN,Article no,Name,Price,Central,Buyer,Buyer\n')).toEqual([])
  })

  test('When JSON is to be read so, then an object is a row, and a header is a path', () => {
    const source = sourceOf('goods-deliveries', {
      pattern: '*.ndjson',
      columns: {
        extRef: 'no',
        storeNo: 'to.store',
        insertAsConfirmed: 'confirmed',
        'orderLines.gtin': 'ean',
        'orderLines.qty': 'qty',
        comment: 'a.b',
      },
    })
    const rows = [
      { no: 17, to: { store: '101' }, confirmed: true, ean: 7040000000016, qty: 3, 'a.b': 'soon', other: [1] },
      { no: 17, to: { store: '101' }, confirmed: true, ean: '7040000000023', qty: '2', 'a.b': null },
      { no: 18, to: null, confirmed: 'no', ean: {}, qty: [1] },
    ]
    const lines = read(source, rows.map((row) => JSON.stringify(row)).join('\n'))
    expect(lines.map(({ value }) => value)).toEqual([
      {
        extRef: '17',
        storeNo: '101',
        insertAsConfirmed: true,
        comment: 'soon',
        orderLines: [
          { gtin: '7040000000016', qty: '3' },
          { gtin: '7040000000023', qty: '2' },
        ],
      },
      { extRef: '18', insertAsConfirmed: false },
    ])
    expect(lines[1]?.faults).toEqual(['gtin: found an object, expected text', 'qty: found a list, expected a number'])
  })
})

describe('rows that belong together', () => {
  const source = sourceOf('goods-deliveries')
  const head = 'extRef,storeNo,comment,insertAsConfirmed,gtin,qty\n'

  test('When they say different things, or one is faulty, then the whole is refused, and the lines are named', () => {
    const lines = read(source, `${head}D,101,soon,yes,1,2\nD,102,,yes,2,x\nE,101,,yes,3,1\n,101,,yes,3,1\n`)
    expect(lines.map(({ line, faults, raws }) => [line, raws.length, faults])).toEqual([
      [
        2,
        2,
        [
          'line 3: it has another storeNo than the rows of D before it',
          'line 3: qty: found "x", expected a number like 1399.50, without thousands signs',
        ],
      ],
      [4, 1, []],
      [5, 1, ['extRef: each row must have it']],
    ])
  })

  test('When they stand apart, then a first reading tells', () => {
    const surveying = createSurvey(source)
    surveying.add(Buffer.from(`${head}D,101,,yes,1,2\nE,101,,yes,1,2\nD,101,,yes,3,1\n`))
    expect(surveying.end().separate).toEqual(new Map([[4, 2]]))
  })
})

describe('NDJSON', () => {
  const ndjson = sourceOf('prices', { pattern: '*.jsonl' })

  test('When it is read, then each line counts, and no digit is lost', () => {
    const content = '\n{"list":"A","price":1.5}\r\n{"list":"B \\"]}\\"","price":12345678901234567.10}\r\n\r\n'
    for (const size of [3, 8, 1_000])
      expect(read(ndjson, content, size).map(({ line, value }) => [line, value])).toEqual([
        [2, { list: 'A', price: 1.5 }],
        [3, { list: 'B "]}"', price: '12345678901234567.10' }],
      ])
  })

  test('When a line is no object, or no JSON, then it alone is refused', () => {
    expect(faultsOf(ndjson, '{"list"\n{"list":"A"}\n[1]\n3\n"x"\n[{}]\nnull\n')).toEqual([
      '1: this is not JSON',
      ...[3, 4, 5, 6, 7].map((line) => `${line}: this is no object {…}`),
    ])
  })
})
