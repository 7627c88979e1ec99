import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { kindOf } from '../../../src/adapters/shared/records.ts'
import type { BookingName, Bookings } from '../../../src/domain/accounting/bookings.ts'
import { journal, METHODS, RECORDS, saleRecord, settlementRecord } from '../../../test/adapters/records.ts'
import { usualOf } from '../src/options.ts'
import { openErp, openErpFolder } from './kit.ts'

/** The content of the one file that these records make. */
async function written<Name extends BookingName>(
  method: Name,
  how: Record<string, unknown>,
  records: Record<string, Bookings[Name]>,
): Promise<string> {
  await using folder = openErpFolder()
  await using erp = openErp({ folder: folder.path, write: { [kindOf(method)]: how } })
  await erp.book(method, records)
  const [name = ''] = folder.names()
  return folder.read(name)
}

describe('the usual columns', () => {
  test.each(METHODS)('When a record of %s has all that there is, then no column is empty', async (method) => {
    const content = await written(method, {}, { 'k:1': RECORDS[method] } as never)
    const rows = parse(content, { columns: true }) as Record<string, string>[]
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect(row.Key).toBe('k:1')
      // A journal line has debit or credit; only lines of sales and VAT have a rate; a movement's type stands as it is.
      const optional = method === 'bookSettlement' ? ['Debit', 'Credit', 'VatRate'] : []
      const empty = Object.keys(row).filter((header) => row[header] === '' && !optional.includes(header))
      expect(empty).toEqual([])
    }
    expect(Object.keys(rows[0] ?? {})).toEqual(Object.keys(usualOf(method).columns))
  })

  test('When a settlement has a journal, then it is written line by line, debit and credit beside each other', async () => {
    const rows = parse(await written('bookSettlement', {}, { s: RECORDS.bookSettlement }), { columns: true })
    expect(rows).toMatchObject([
      { Account: '1900', Text: 'Cash', Debit: '1250.5', Credit: '', VatRate: '', Currency: 'NOK' },
      { Account: '3000', Text: 'Sales 25 %', Debit: '', Credit: '1000.4', VatRate: '0.25' },
      { Account: '2700', Text: 'VAT 25 %', Debit: '', Credit: '250.1', VatRate: '0.25' },
    ])
    expect(journal.lines).toHaveLength(3)
  })

  test('When config has no accounts, then a settlement is written by what was paid with, without an account', async () => {
    const record = settlementRecord(null)
    const rows = parse(await written('bookSettlement', {}, { s: record }), { columns: true }) as Record<
      string,
      string
    >[]
    expect(rows).toHaveLength(record.settlement.payments?.length ?? -1)
    for (const row of rows) expect([row.Account, row.Text]).toEqual(['', expect.stringMatching(/\w/)])
  })
})

describe('csv', () => {
  const columns = {
    Key: 'key',
    Name: 'row.name',
    Quantity: 'row.quantity',
    Price: 'row.unitPrice.amount',
    Shop: '=+47',
  }
  const HOW = { rows: 'sale.lines', columns }

  test('When amounts have many digits, then all of them are written, and none more', async () => {
    const amounts = ['0.1', '1399.5', '-12.345', '100000000000000.05', '0', '7']
    const record = saleRecord(
      '1',
      amounts.map((price) => ({ price, quantity: 1 })),
    )
    const rows = parse(await written('bookSale', HOW, { a: record }), { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => row.Price)).toEqual(amounts)
  })

  test('a text in a file for a machine is written as it is, whatever a spreadsheet would make of it', async () => {
    const names = ['-XL-01', '@home', '+4791234567', '=1+1']
    const record = saleRecord(
      '1',
      names.map((name) => ({ name, quantity: -2 })),
    )
    for (const more of [{}, { csv: { bom: true, guardFormulas: false } }]) {
      const rows = parse(await written('bookSale', { ...HOW, ...more }, { a: record }), { columns: true, bom: true })
      expect((rows as Record<string, string>[]).map((row) => row.Name)).toEqual(names)
    }
  })

  test('When a text would be calculated by a spreadsheet, then it is not in a file for people; numbers below 0 stay numbers', async () => {
    const names = ['=1+1', '+1', '-2+3', '@SUM(A1)', '\tx', 'a "quoted", one', 'two\nlines', '-5', 'Blåbærsyltetøy']
    const record = saleRecord(
      '1',
      names.map((name) => ({ name, quantity: -2 })),
    )
    const content = await written('bookSale', { ...HOW, csv: { guardFormulas: true } }, { '=key': record })
    const rows = parse(content, { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => row.Name)).toEqual([
      "'=1+1",
      "'+1",
      "'-2+3",
      "'@SUM(A1)",
      expect.stringMatching(/x$/),
      'a "quoted", one',
      'two\nlines',
      "'-5",
      'Blåbærsyltetøy',
    ])
    expect(new Set(rows.map((row) => [row.Key, row.Quantity, row.Shop].join()))).toEqual(new Set(["'=key,-2,'+47"]))
  })

  test('When it is for a Nordic Excel, then it has semicolons, decimal commas, Windows lines and a mark', async () => {
    const csv = { delimiter: ';', decimal: ',', lineEnd: 'crlf', bom: true, quote: 'always' }
    const record = saleRecord('1', [{ name: 'A;B', price: '-1399.5', quantity: 1, gtin: null }])
    const content = await written('bookSale', { ...HOW, csv }, { a: record })
    expect(content).toBe('\ufeff"Key";"Name";"Quantity";"Price";"Shop"\r\n"a";"A;B";"1";"-1399,5";"\'+47"\r\n')
  })
})

test('json: When nothing else is said, then it is the whole record with its key, amounts as text', async () => {
  const records = { a: saleRecord('1'), b: saleRecord('2') }
  const list = JSON.parse(await written('bookSale', { format: 'json' }, records))
  expect(list).toEqual([
    { key: 'a', ...records.a },
    { key: 'b', ...records.b },
  ])
  expect(list[0].sale.total).toEqual({ amount: '349', currency: 'NOK' })
  const lines = (await written('bookSale', { format: 'ndjson' }, records)).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(list)
})
