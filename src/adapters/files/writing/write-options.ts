import { z } from 'zod'
import type { BookingName } from '../../../domain/books/bookings.ts'
import { checkedText } from '../../../lib/checked-text.ts'
import { readColumns, type WrittenColumn } from './columns.ts'
import { nameFault } from './file-name.ts'
import { type Kind, shapeOf, usualOf } from './records.ts'

const Csv = z
  .strictObject({
    delimiter: z
      .enum([',', ';', '\t', '|'])
      .default(',')
      .describe('What stands between cells: , ; | or a tab ("\\t").'),
    quote: z
      .enum(['needed', 'always'])
      .default('needed')
      .describe('Which cells stand in double quotes: those that need them, or all.'),
    decimal: z.enum(['.', ',']).default('.').describe('What stands before the decimals of numbers.'),
    lineEnd: z.enum(['lf', 'crlf']).default('lf').describe('How lines end: as Unix or as Windows has it.'),
    header: z.boolean().default(true).describe('Whether the first line has the headers.'),
    bom: z
      .boolean()
      .default(false)
      .describe('Whether the file begins with a byte order mark, by which Excel knows that it is UTF-8.'),
    guardFormulas: z
      .boolean()
      .optional()
      .describe(
        'Whether a text that a spreadsheet would calculate (= + - @ at its beginning) gets an apostrophe before it: for files that people open, not for those that a machine reads. Without it, where bom is true.',
      ),
  })
  .refine(({ delimiter, decimal }) => delimiter !== decimal, {
    path: ['decimal'],
    error: 'Must not be the delimiter as well.',
  })
export type CsvOptions = z.output<typeof Csv>

const Columns = z
  .record(z.string().min(1).max(200), z.string().min(1))
  .refine((columns) => Object.keys(columns).length > 0, 'Must have a column.')

const Written = z.strictObject({
  name: checkedText(nameFault)
    .min(1)
    .default('{kind}-{place}-{day}')
    .describe(
      'The name of a file: {store}, {stock}, {place} (the store, else the stock), {country}, {day}, {kind}, {key}. What tells it from others of that name is added, and the extension.',
    ),
  format: z
    .enum(['csv', 'json', 'ndjson'])
    .default('csv')
    .describe('csv; json: a list; ndjson: an object a line. It is the extension, too.'),
  rows: z
    .string()
    .min(1)
    .optional()
    .describe('With columns: the path of a list that has a row for each (sale.lines). Without it, a record is a row.'),
  columns: Columns.optional().describe(
    'Headers, each with the path of its value (sale.receiptNo, row.gtin), or = and a constant (=NOK). One must be key. Without it, csv has the usual columns of the kind, and JSON the whole record.',
  ),
  csv: Csv.optional().describe('How CSV is written.'),
})

/** How the records of one kind are written. */
export interface Layout {
  name: string
  format: 'csv' | 'json' | 'ndjson'
  /** The list that has a row for each; null: a record is a row. */
  rows: string | null
  /** Null: the whole record. */
  columns: WrittenColumn[] | null
  csv: CsvOptions
}

const BY_KIND = {
  sale: kind('bookSale', 'Sales: of tills, of the online store paid there, and added from outside.'),
  invoice: kind('bookInvoice', 'Sales that are paid later.'),
  settlement: kind('bookSettlement', "A day's takings of a till, as a journal where config has accounts."),
  received: kind('bookReceived', 'Goods of a delivery that have come, an article at a time.'),
  cost: kind('bookCost', 'What goods of a delivery cost, where that was changed.'),
  delivery: kind('bookDelivery', 'Deliveries of which nothing more will come.'),
  movement: kind('bookMovement', 'Movements of goods, whatever for.'),
  count: kind('bookCount', 'Stocks that were counted.'),
  adjustment: kind('bookAdjustment', 'Levels that were corrected by hand.'),
  transfer: kind('bookTransfer', 'Goods that left for another stock, or came from one.'),
  giftCard: kind('bookGiftCard', 'Gift cards that were sold or paid with.'),
  terminal: kind('bookTerminal', 'What a bank terminal counted.'),
  reservation: kind('bookReservation', 'Goods that are kept for somebody, or are not any more.'),
} satisfies Record<Kind, z.ZodType<Layout | undefined>>

/** Kinds of record that are written: a kind left out is not owed to this destination. */
export const WriteOptions = z
  .strictObject(BY_KIND)
  .refine((write) => Object.values(write).some(Boolean), 'Must have a kind of record: write: { sale: {} }.')
export type WriteOptions = z.output<typeof WriteOptions>

function kind(method: BookingName, what: string) {
  return Written.transform((written, context): Layout => {
    const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    return readLayout(written, method, fault)
  })
    .optional()
    .describe(what)
}

function readLayout(
  written: z.output<typeof Written>,
  method: BookingName,
  fault: (path: string[], message: string) => void,
): Layout {
  const { name, format } = written
  const csv = written.csv ?? Csv.parse({})
  if (written.csv && format !== 'csv') fault(['csv'], `Is not for ${format}.`)
  if (written.rows !== undefined && !written.columns) fault(['rows'], 'Must have columns with it.')
  const whole = !written.columns && format !== 'csv'
  if (whole) return { name, format, rows: null, columns: null, csv }

  const usual = usualOf(method)
  const rows = written.columns ? (written.rows ?? null) : usual.rows
  const columns = readColumns(written.columns ?? usual.columns, rows, shapeOf(method), fault)
  for (const { header, type } of columns)
    if (type === 'object' && format === 'csv') fault(['columns', header], 'Has parts: name one of them.')
  if (!Object.values(written.columns ?? usual.columns).includes('key'))
    fault(['columns'], 'Must have the key of the record: { Key: key }. By it, you know a record that you have had.')
  return { name, format, rows, columns, csv }
}
