import {
  type BookingName,
  type BookingPlace,
  checkedText,
  choice,
  decimals,
  eachKind,
  type IntakeLine,
  isList,
  type Leaf,
  methodOf,
  Off,
  On,
  type Parts,
  PermanentError,
  type RecordKind,
  type Shape,
  shapeAt,
  shapeOf,
  suggest,
  Text,
  texts,
  valueAt,
  withoutEnd,
} from 'tillbridge/adapter'
import { ENCODINGS, type FileForm, FORMATS, formatOf, type Hints, readTemplate, SHAPES } from 'tillbridge/adapter/files'
import { z } from 'zod'

const ReadCsv = z
  .strictObject({
    delimiter: choice(',', ';', '\t', '|').describe(
      'What stands between cells: , ; | or a tab ("\\t"). Without it, what the header has most of.',
    ),
    quote: z
      .enum(['"', "'", 'none'])
      .default('"')
      .describe('What stands around cells with delimiters and line breaks in them; none: quotes are plain characters.'),
    decimal: choice('.', ',').describe(
      'What stands before the decimals of numbers. Without it, what can be nothing else.',
    ),
  })
  .refine(({ delimiter, decimal }) => delimiter === undefined || delimiter !== decimal, {
    path: ['decimal'],
    error: 'Must not be the delimiter as well.',
  })

const Read = z.strictObject({
  folder: checkedText((text) => (text === '' ? null : folderFault(text)))
    .default('')
    .describe('Where the files come: a folder in the folder of the destination. Without it, that one itself.'),
  pattern: checkedText(patternFault).describe('The names of the files, with * for anything: products-*.csv'),
  format: choice(...FORMATS).describe('What the files are. Without it, what their extension says.'),
  encoding: z.enum(ENCODINGS).default('utf-8').describe('How the files are encoded.'),
  columns: z
    .record(z.string().min(1).max(200), z.string().min(1).max(200))
    .optional()
    .describe(
      'Fields of /v1, each with its header in the file (in JSON: a path), or = and a constant (=NOK). Other headers are passed over. Without it, headers are the names of the fields.',
    ),
  csv: ReadCsv.optional().describe('How CSV is written.'),
  archive: checkedText(folderFault)
    .default('archive')
    .describe('Where files go that were taken: a folder in the one where they come.'),
  reject: checkedText(folderFault)
    .default('reject')
    .describe('Where refused rows go, and files that cannot be read: a folder in the one where they come.'),
  settle: z
    .string()
    .regex(/^\d{1,4}[sm]$/, 'Must be a duration such as 10s or 2m.')
    .default('10s')
    .describe('A file that has not changed for so long is complete. 0s: files are put there whole (renamed).'),
})

export interface Source extends FileForm {
  resource: IntakeLine
  folder: string
  matches(name: string): boolean
  archive: string
  reject: string
  settle: number
}

/** Reading order: a product comes before its cost and its stock. */
export const RESOURCES = [
  'products',
  'prices',
  'cost-prices',
  'stock-adjustments',
  'goods-deliveries',
] as const satisfies readonly IntakeLine[]

const HINTS: Hints = {
  decimal: 'csv.decimal in config',
  unknownColumn: () => 'Other names go into columns in config.',
  missingColumn: '',
  notUtf8: 'If the file is Windows-1252, as spreadsheets save it: encoding: windows-1252 in config.',
}

export const ReadOptions = z
  .strictObject({
    products: Read.optional().describe('Products, in CSV a size a row: what POST /v1/products takes.'),
    prices: Read.optional().describe('Prices of price lists: what POST /v1/prices takes.'),
    'cost-prices': Read.optional().describe('Cost prices: what POST /v1/cost-prices takes.'),
    'stock-adjustments': Read.optional().describe('Stock levels: what POST /v1/stock-adjustments takes.'),
    'goods-deliveries': Read.optional().describe(
      'Goods deliveries, in CSV an order line a row: what POST /v1/goods-deliveries takes.',
    ),
  })
  .refine((read) => Object.values(read).some(Boolean), 'Must have a resource: read: { products: { pattern: … } }.')
  .transform((read, context): Source[] => {
    const fault: Fault = (path, message) => context.addIssue({ code: 'custom', path, message })
    separate(read, fault)
    return RESOURCES.flatMap((resource) => {
      const written = read[resource]
      return written ? [sourceOf(resource, written, (path, message) => fault([resource, ...path], message))] : []
    })
  })

type Fault = (path: string[], message: string) => void

function sourceOf(resource: IntakeLine, written: z.output<typeof Read>, fault: Fault): Source {
  const { pattern, csv: given, settle, folder, ...rest } = written
  const format = written.format ?? formatOf(pattern)
  if (!format)
    fault(
      ['format'],
      'Must be given: the pattern does not end in .csv or .ndjson (jq -c ".[]" makes NDJSON of a JSON array).',
    )
  if (given && format && format !== 'csv') fault(['csv'], `Is not for ${format}.`)
  const { delimiter = null, decimal = null, quote } = given ?? ReadCsv.parse({})
  const columns = written.columns ? readTemplate(resource, written.columns, fault) : null
  const { group } = SHAPES[resource]
  const key = columns?.find(({ named }) => named.field.name === group?.key)
  if (key && key.from === null)
    fault(['columns', key.named.field.name], 'Tells rows apart: it cannot be the same in all.')
  return {
    ...rest,
    resource,
    folder: trimmed(folder),
    archive: trimmed(written.archive),
    reject: trimmed(written.reject),
    matches: matcherOf(pattern),
    format: format ?? 'csv',
    columns,
    csv: { delimiter, decimal, quote: quote === 'none' ? null : quote },
    settle: Number.parseInt(settle, 10) * (settle.endsWith('m') ? 60_000 : 1_000),
    hints: HINTS,
  }
}

/** No file may match two sources, or be read again from where it was put. */
function separate(read: { [Name in IntakeLine]?: z.output<typeof Read> | undefined }, fault: Fault): void {
  const all = RESOURCES.flatMap((resource) => {
    const written = read[resource]
    return written ? [{ ...written, resource, folder: trimmed(written.folder) }] : []
  })
  for (const [index, one] of all.entries()) {
    const { resource, folder, pattern } = one
    const archive = under(folder, trimmed(one.archive))
    const reject = under(folder, trimmed(one.reject))
    if (archive === reject) fault([resource, 'reject'], 'Must not be the archive as well.')
    const same = all.slice(0, index).find((other) => other.folder === folder && meet(other.pattern, pattern))
    if (same) fault([resource, 'pattern'], `Takes the same names as that of ${same.resource}: ${same.pattern}`)
    for (const other of all)
      for (const key of ['archive', 'reject'] as const)
        if (other.folder === (key === 'archive' ? archive : reject))
          fault([resource, key], `Must not be where files of ${other.resource} come.`)
  }
}

function patternFault(text: string): string | null {
  if (text === '' || !/^[^\p{Cc}/\\]+$/u.test(text))
    return 'Must be the name of a file, with * for anything: products-*.csv'
  if (text.startsWith('.')) return 'Must not begin with a dot: such files are hidden, and left alone.'
  return text.includes('**') ? 'Must have one * at a place.' : null
}

function folderFault(text: string): string | null {
  const names = trimmed(text).split('/')
  if (text.startsWith('/') || names.includes('..') || names.includes('.'))
    return 'Must be a path from the folder on, without . and .. in it.'
  if (!/^[^\p{Cc}\\]+$/u.test(text) || names.includes('')) return 'Must be a path with / between its parts.'
  return names.some((name) => name.startsWith('.')) ? 'Must not begin with a dot: such folders are hidden.' : null
}

function trimmed(path: string): string {
  return withoutEnd(path, /\//)
}

export function under(...names: string[]): string {
  return names.filter((name) => name !== '').join('/')
}

export function matcherOf(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.toLowerCase().split('*')
  const last = others.pop()
  if (last === undefined) return (name) => name.toLowerCase() === first
  return (name) => {
    const plain = name.toLowerCase()
    // Each part at its first place leaves most for those after it.
    const from = others.reduce((at, part) => endOf(plain, part, at), plain.startsWith(first) ? first.length : Infinity)
    return from + last.length <= plain.length && plain.endsWith(last) && !/[\r\n]/.test(name)
  }
}

function endOf(name: string, part: string, from: number): number {
  const at = from === Infinity ? -1 : name.indexOf(part, from)
  return at < 0 ? Infinity : at + part.length
}

function meet(one: string, other: string): boolean {
  if (one === '' || other === '') return /^\**$/.test(one + other)
  if (one[0] === '*') return meet(one.slice(1), other) || meet(one, other.slice(1))
  if (other[0] === '*') return meet(other, one)
  return one[0]?.toLowerCase() === other[0]?.toLowerCase() && meet(one.slice(1), other.slice(1))
}

export interface WrittenColumn {
  header: string
  type: Leaf | 'object'
  read(row: RowView): unknown
}

interface RowView {
  view: object
  row: unknown
  number: number
}

function readColumns(
  written: Readonly<Record<string, string>>,
  rows: string | null,
  shape: Parts,
  fault: (path: string[], message: string) => void,
): WrittenColumn[] {
  const list = rows === null ? null : listAt(rows, shape, (message) => fault(['rows'], message))
  const parts: Parts = { ...shape, rowNo: 'decimal', ...(list !== null && { row: list }) }
  return Object.entries(written).flatMap(([header, source]) => {
    const column = readColumn(header, source, parts)
    if (typeof column !== 'string') return [column]
    fault(['columns', header], column)
    return []
  })
}

export function rowsAt(view: unknown, path: string): unknown[] {
  const found = valueAt(view, path)
  if (found === null) return []
  if (Array.isArray(found)) return found
  throw new PermanentError(`${path} is no list`, { code: 'bad-record' })
}

function readColumn(header: string, source: string, parts: Parts): WrittenColumn | string {
  if (source.startsWith('=')) {
    const constant = source.slice(1)
    return { header, type: 'text', read: () => constant }
  }
  const found = shapeAt(source, parts)
  if ('fault' in found) return found.fault
  const type = typeof found.shape === 'string' ? found.shape : 'object'
  if (source === 'rowNo') return { header, type, read: ({ number }) => String(number) }
  return { header, type, read: ({ view, row }) => valueAt({ ...view, row }, source) }
}

function listAt(path: string, shape: Parts, fault: (message: string) => void): Shape | null {
  const found = shapeAt(path, shape)
  if ('fault' in found) fault(found.fault)
  else if (isList(found.shape)) return found.shape[0]
  else fault('Is no list.')
  return null
}

/** What files are named by. */
export interface NamedBy extends BookingPlace {
  kind: string
  key: string
}

/** Of these fields of a record, the first that it has. */
export const PLACEHOLDERS: Readonly<Record<string, readonly (keyof NamedBy)[]>> = {
  place: ['storeKey', 'stockId'],
  store: ['storeKey'],
  country: ['country'],
  stock: ['stockId'],
  day: ['day'],
  kind: ['kind'],
  key: ['key'],
}

function nameFault(template: string): string | null {
  const literal = template.replace(/\{(\w+)\}/g, '')
  if (!/^[A-Za-z0-9._-]*$/.test(literal))
    return 'Must be letters without accents, digits, dots, hyphens, underscores, and placeholders such as {store}.'
  if (template.startsWith('.')) return 'Must not begin with a dot: such files are hidden.'
  if (/\.(csv|json|ndjson)$/i.test(template)) return 'Must not have an extension: that of its format is added.'
  for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
    if (Object.hasOwn(PLACEHOLDERS, name)) continue
    const near = suggest(name, Object.keys(PLACEHOLDERS))
    const all = Object.keys(PLACEHOLDERS).map((one) => `{${one}}`)
    return `Has {${name}}, which there is not: ${near === null ? `there are ${all.join(', ')}` : `did you mean {${near}}?`}`
  }
  return null
}

const WrittenCsv = z
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
    header: On.describe('Whether the first line has the headers.'),
    bom: Off.describe('Whether the file begins with a byte order mark, by which Excel knows that it is UTF-8.'),
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
export type CsvOptions = z.output<typeof WrittenCsv>

const Columns = z
  .record(z.string().min(1).max(200), Text)
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
  rows: Text.optional().describe(
    'With columns: the path of a list that has a row for each (sale.lines). Without it, a record is a row.',
  ),
  columns: Columns.optional().describe(
    'Headers, each with the path of its value (sale.receiptNo, row.gtin), or = and a constant (=NOK). One must be key. Without it, csv has the usual columns of the kind, and JSON the whole record.',
  ),
  csv: WrittenCsv.optional().describe('How CSV is written.'),
})

export interface Layout {
  name: string
  format: 'csv' | 'json' | 'ndjson'
  rows: string | null
  columns: WrittenColumn[] | null
  csv: CsvOptions
}

export const WriteOptions = z
  .strictObject(eachKind(layoutOption))
  .refine((write) => Object.values(write).some(Boolean), 'Must have a kind of record: write: { sale: {} }.')
export type WriteOptions = z.output<typeof WriteOptions>

function layoutOption(kind: RecordKind, description: string) {
  return Written.transform((written, context): Layout => {
    const fault = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    return readLayout(written, methodOf(kind), fault)
  })
    .optional()
    .describe(description)
}

function readLayout(
  written: z.output<typeof Written>,
  method: BookingName,
  fault: (path: string[], message: string) => void,
): Layout {
  const { name, format } = written
  const csv = written.csv ?? WrittenCsv.parse({})
  if (written.csv && format !== 'csv') fault(['csv'], `Is not for ${format}.`)
  if (written.rows !== undefined && !written.columns) fault(['rows'], 'Must have columns with it.')
  const whole = !written.columns && format !== 'csv'
  if (whole) return { name, format, rows: null, columns: null, csv }

  const usual = usualOf(method)
  const rows = written.columns ? (written.rows ?? null) : usual.rows
  const columns = readColumns(written.columns ?? usual.columns, rows, shapeIn(method), fault)
  for (const { header, type } of columns)
    if (type === 'object' && format === 'csv') fault(['columns', header], 'Has parts: name one of them.')
  if (!Object.values(written.columns ?? usual.columns).includes('key'))
    fault(['columns'], 'Must have the key of the record: { Key: key }. By it, you know a record that you have had.')
  return { name, format, rows, columns, csv }
}

function shapeIn(method: BookingName): Parts {
  const entries = {
    ...texts('account text'),
    ...decimals('amount debit credit'),
    currency: 'text',
    vatRate: 'decimal',
  } as const
  return { ...shapeOf(method), ...(method === 'bookSettlement' && { entries: [entries] as const }) }
}

const ROWS: { readonly [Name in BookingName]?: string } = {
  bookSale: 'sale.lines',
  bookSettlement: 'entries',
  bookDelivery: 'delivery.lines',
  bookCount: 'count.items',
  bookAdjustment: 'adjustment.items',
  bookTransfer: 'transfer.lines',
  bookTerminal: 'reconciliation.schemes',
}

const COLUMNS: { readonly [Name in BookingName]: string } = {
  bookSale: `
    Key key, Store storeNo, Day day, Receipt sale.receiptNo, Time sale.createdAt, POS sale.store.posId,
    External external, Order sale.orderNo, Line rowNo, GTIN row.gtin, SKU row.sku, Name row.name,
    Quantity row.quantity, UnitPrice row.unitPrice.amount, LineTotal row.total.amount, VatRate row.vatRate,
    Vat row.vat.amount, SaleTotal sale.total.amount, Currency sale.total.currency`,
  bookInvoice: `
    Key key, Store storeNo, Day day, Invoice invoice.number, InvoiceId invoice.invoiceId,
    Receipt invoice.receiptNo, Time invoice.at, POS invoice.posId, InvoicedOn invoice.invoicedOn,
    DueOn invoice.dueOn, Customer invoice.customer.customerId, Amount invoice.amount.amount,
    Vat invoice.vatTotal.amount, Currency invoice.amount.currency`,
  bookSettlement: `
    Key key, Store storeNo, Day day, Settlement settlement.settlementId, Batch settlement.batchNumber,
    POS settlement.posId, Time settlement.settledAt, Account row.account, Text row.text, Debit row.debit,
    Credit row.credit, VatRate row.vatRate, Currency row.currency, Country country`,
  bookReceived: `
    Key key, Store storeNo, Stock stockId, Day day, Delivery delivery.deliveryId, Reference delivery.reference,
    Time delivery.at, Article line.article, GTIN line.gtin, Quantity quantity, Cost line.cost.amount,
    Currency line.cost.currency, Country country`,
  bookCost: `
    Key key, Store storeNo, Stock stockId, Day day, Delivery delivery.deliveryId, Reference delivery.reference,
    Time delivery.at, Article article, GTIN gtin, Cost cost.amount, Currency cost.currency, Country country`,
  bookDelivery: `
    Key key, Store storeNo, Stock stockId, Day day, Delivery delivery.deliveryId, Reference delivery.reference,
    Status delivery.status, Completed delivery.isCompleted, Time delivery.at, Article row.article,
    GTIN row.gtin, Expected row.expected, Received row.received, Cost row.cost.amount,
    Currency row.cost.currency, Country country`,
  bookMovement: `
    Key key, Store storeNo, Stock stockId, Day day, Movement movement.movementId, Type movement.type,
    Time movement.at, GTIN movement.gtin, SKU movement.sku, Quantity movement.quantity, Level movement.level`,
  bookCount: `
    Key key, Store storeNo, Stock stockId, Day day, Count count.countId, Complete count.isComplete,
    CountedAt count.countedAt, Time count.at, GTIN row.gtin, SKU row.sku, Quantity row.quantity`,
  bookAdjustment: `
    Key key, Store storeNo, Stock stockId, Day day, Adjustment adjustment.adjustmentId,
    Reason adjustment.reason, Time adjustment.at, GTIN row.gtin, SKU row.sku, Quantity row.quantity`,
  bookTransfer: `
    Key key, Store storeNo, Stock stockId, Day day, Step step, Virtual virtual, Transfer transfer.transferId,
    FromStock transfer.fromStockId, ToStock transfer.toStockId, Status transfer.status, SentAt transfer.sentAt,
    ReceivedAt transfer.receivedAt, GTIN row.gtin, SKU row.sku, Quantity row.quantity, Received row.received`,
  bookGiftCard: `
    Key key, Store storeNo, Day day, Transaction transaction.transactionId, GiftCard transaction.giftCardId,
    Type transaction.type, Time transaction.at, POS transaction.posId, Receipt transaction.receiptNo,
    Amount transaction.amount.amount, Balance transaction.balance.amount, Currency transaction.amount.currency`,
  bookTerminal: `
    Key key, Store storeNo, Day day, Reconciliation reconciliation.reconciliationId,
    Terminal reconciliation.terminalId, POS reconciliation.posId, Time reconciliation.at, Scheme row.scheme,
    Count row.count, Amount row.amount.amount, Currency row.amount.currency,
    Total reconciliation.amount.amount`,
  bookReservation: `
    Key key, Store storeNo, Stock stockId, Day day, Step step, Reservation reservation.reservationId,
    GTIN reservation.gtin, SKU reservation.sku, Quantity reservation.quantity, Order reservation.orderNo,
    Status reservation.status, Time reservation.at, ExpiresAt reservation.expiresAt,
    ReleasedAt reservation.releasedAt`,
}

export function usualOf(method: BookingName): { rows: string | null; columns: Record<string, string> } {
  const columns = COLUMNS[method].split(',').map((column) => column.trim().split(' '))
  return { rows: ROWS[method] ?? null, columns: Object.fromEntries(columns) }
}
