import type { Settlement as Read } from '../../domain/accounting/settlement.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { flag, idText, text } from '../../domain/values/field.ts'
import { multiplyDecimals, parseDecimal, sumDecimals } from '../../domain/values/money.ts'
import { dayIn, hasZone } from '../../domain/values/store-time.ts'
import { type Client, endless, searchPages } from '../http/client.ts'
import type { Endpoint } from '../http/endpoint.ts'
import {
  decimal,
  joined,
  type Listed,
  readListed,
  UnexpectedAnswer,
  type Unreadable,
  type WireRecord,
  wallClock,
} from '../http/read.ts'
import {
  asIs,
  body,
  capitals,
  each,
  eachOrNone,
  first,
  idIfShown,
  idOfWritten,
  itself,
  must,
  named,
  optional,
  sentCentralEuropean,
  sentCurrency,
  sentDecimal,
  sentId,
  sentText,
  sentTime,
  sentUtc,
  shape,
  unsendable,
} from '../http/shape.ts'
import { columnsOf, knownDay, type OdataWindow, readWindows, windowsOf } from '../odata/odata.ts'
import { readSettlement as read } from '../payloads/settlement.ts'

const TEXT = asIs<string>()
const FLAG = asIs<boolean>()

/** The extId always goes along: people may share a phone or an e-mail address. */
export const writeCustomer = body({
  customerId: named('customerid', optional(sentId)),
  extId: sentText,
  ...{ firstName: TEXT, lastName: TEXT, companyName: TEXT, orgNum: TEXT, isCompany: FLAG, email: TEXT },
  ...{ phone: TEXT, phoneCountryPrefix: TEXT, address: TEXT, postalCode: TEXT, city: TEXT, countryCode: TEXT },
  ...{ agreedSendEmail: FLAG, agreedSendSms: FLAG, tags: TEXT, birthDay: optional(sentTime) },
  ...{ birthYear: asIs<number>(), gender: TEXT, langCode: TEXT, cardNo: TEXT, stdDiscount: optional(sentDecimal) },
  ...{ isEmployee: FLAG, isInvoice: FLAG, suppressCampaigns: FLAG },
  // The platform's spelling.
  description: named('despcription', TEXT),
  registeredStoreId: optional(sentId),
})

export type NewCustomer = Parameters<typeof writeCustomer>[0]

export const customerShape = shape({
  customerId: must(idText),
  extId: first(idText, 'extId', 'customerExtId'),
  email: text,
  deleted: flag,
  record: itself,
})

export type PlatformCustomer = ReturnType<typeof customerShape>

interface CustomerFilter {
  email?: string
  extIds?: readonly string[]
  pageSize?: number
}

export function createCustomers(client: Client) {
  return {
    /** Repeatable by extId. Throws UnknownOutcomeError `no-id` without an id. */
    async obtain(customer: NewCustomer, signal?: AbortSignal): Promise<string> {
      const body = writeCustomer(customer, 'customers.obtain')
      const answer = await client.write('customers.obtain', { body, signal })
      return idOfWritten(answer, 'customers.obtain', 'customerId')
    },

    /** The platform ignores unknown filters and then answers with all customers, so matches are checked here. */
    search({ pageSize, ...filter }: CustomerFilter, signal?: AbortSignal) {
      const operations = { search: 'customers.search', count: 'customers.count', things: 'customer' } as const
      const idOf = ({ customerId }: PlatformCustomer) => customerId
      const isAsked = (customer: PlatformCustomer) => isWanted(customer, filter)
      const found = { filter: searchedFor(filter), pageSize, read: customerShape, idOf, isAsked }
      return searchPages<PlatformCustomer>(client, { ...operations, ...found }, signal)
    },

    async delete(customerId: string, signal?: AbortSignal): Promise<void> {
      const id = String(sentId(customerId, 'customers.delete: the customerId'))
      await client.write('customers.delete', { path: { customerId: id }, secrets: [id], signal })
    },
  }
}

function searchedFor({ email = '', extIds = [] }: CustomerFilter): object {
  if (email.trim() === '' && extIds.length === 0)
    throw unsendable('customers.search:', 'it needs an e-mail address or external ids.')
  return {
    ...(email.trim() && { emailContains: email.trim() }),
    ...(extIds.length > 0 && { customerExtIds: extIds.map((id) => id.trim()) }),
  }
}

/** The search matches substrings: keep exact matches only. */
function isWanted(customer: PlatformCustomer, { email, extIds }: CustomerFilter): boolean {
  return (
    (!email?.trim() || customer.email?.toLowerCase() === email.trim().toLowerCase()) &&
    (!extIds || extIds.length === 0 || extIds.some((id) => id.trim() === customer.extId))
  )
}

/** Spec, "Online order imported as a sale". Returns have negative quantities and payments. */
const writeSale = (time: Endpoint['time']) =>
  body({
    /** Chosen by the sender; whether the platform refuses it twice is not documented. */
    saleGuid: sentText,
    extRef: sentText,
    customerId: named('customerID', sentId),
    saleDateTime: time === 'cet' ? sentCentralEuropean : sentUtc,
    lines: named(
      'salesLines',
      each(
        'line',
        body({
          gtin: named('identity', sentText),
          /** Of one piece, after discount, VAT included. */
          price: sentDecimal,
          quantity: named('qty', sentDecimal),
          /** -1: no stock changes. */
          stockId: named('stockid', (id: string, at: string) => (id.trim() === '-1' ? -1 : sentId(id, at))),
          // Not in the spec.
          ...{ text: TEXT, vat: optional(sentDecimal) },
        }),
      ),
    ),
    payments: named(
      'paymentLines',
      eachOrNone(
        'payment',
        body({
          amount: sentDecimal,
          type: named('paymentType', (type: number) => type),
          // `extRef`: reference or gift card id; `responseBody`: the provider's answer.
          ...{ extRef: TEXT, currency: optional(sentCurrency), cardType: asIs<number>(), responseBody: TEXT },
        }),
      ),
    ),
    comment: TEXT,
  })

export const SALE_FIELDS = writeSale('utc').fields

type ImportedSale = Parameters<ReturnType<typeof writeSale>>[0]

export function createSales(client: Client) {
  return {
    /** Throws a PermanentError, before sending, if lines and payments differ. Never for endless aisle orders. */
    async import(
      sale: ImportedSale,
      { storeId, signal }: { storeId: string; signal?: AbortSignal | undefined },
    ): Promise<string | null> {
      const endpoint = client.endpoint('sales.import')
      const body = writeSale(endpoint.time)(sale, 'sales.import')
      refuseDifference(sale)
      const store = sentText(storeId, 'sales.import: the storeId')
      const answer = await client.write('sales.import', { body, storeId: store, secrets: [sale.customerId], signal })
      return idIfShown(answer, 'sales.import', 'saleId', endpoint.known)
    },
  }
}

function refuseDifference({ lines, payments = [] }: ImportedSale): void {
  const currencies = new Set(payments.flatMap(({ currency }) => currency?.toUpperCase() ?? []))
  if (currencies.size > 1)
    throw unsendable('sales.import:', `payments in ${[...currencies].join(' and ')} cannot be added up.`)
  const amounts = lines.map(({ price, quantity }) => multiplyDecimals(parseDecimal(price), parseDecimal(quantity)))
  const sold = sumDecimals(amounts)
  const paid = sumDecimals(payments.map(({ amount }) => parseDecimal(amount)))
  if (sold !== paid) throw unsendable('sales.import:', `the lines add up to ${sold}, the payments to ${paid}.`)
}

const PAGE = 500

const MAX_PAGES = 1_000

/** Pages without news that end the list. */
const MAX_BARREN = 2

const MAX_REJECTED = 10_000

/** Settlements made on a day, or for its sales. */
export function createSettlements(client: Client) {
  return {
    async list({ day }: { day: string }, signal?: AbortSignal): Promise<Listed<Settlement>> {
      knownDay('day', day)
      const seen = new Set<string>()
      const found = new Map<string, Settlement>()
      let rejected: Unreadable[] = []
      const hasPages = client.endpoint('settlements.list').query.offset !== undefined
      for (let [offset, pages, barren] = [0, 0, 0]; barren < MAX_BARREN; pages++) {
        if (pages === MAX_PAGES || rejected.length > MAX_REJECTED)
          throw endless('settlements.list', `${seen.size + rejected.length} settlements of ${day} on ${pages} pages`)
        const query = { day, offset, limit: PAGE, includePaymentTypes: true }
        const page = await client.read('settlements.list', { query, signal }, (answer) =>
          readListed(answer, 'settlement', readSettlement),
        )
        const before = seen.size + rejected.length
        for (const settlement of page.rows) {
          seen.add(settlement.settlementId)
          if (isOfDay(settlement, day)) found.set(settlement.settlementId, settlement)
        }
        rejected = joined(rejected, page.rejected)
        if (!hasPages) break
        const isBarren = seen.size + rejected.length === before
        barren = isBarren ? barren + 1 : 0
        // The platform may filter after paging: a short or empty page need not be the last.
        offset += isBarren ? PAGE : page.rows.length + page.rejected.length
      }
      client.rejected('settlements.list', day, rejected)
      return { rows: [...found.values()], rejected }
    },
  }
}

/** Whether `date` means the POS day or the settlement's is not documented: each counts. */
function isOfDay({ settledAt, from, to }: Settlement, day: string): boolean {
  const days = [settledAt, from, to].flatMap((at) => (at === null ? [] : daysOfInstant(at)))
  return days.length === 0 || days.includes(day)
}

const ANYWHERE = ['Etc/GMT+12', 'UTC', 'Etc/GMT-14']

function daysOfInstant(at: string): string[] {
  const written = dayIn(at, null)
  return [written, ...(hasZone(at) ? ANYWHERE.map((zone) => dayIn(at, zone)) : [])].filter((day) => day !== null)
}

export interface Settlement extends Read {
  record: WireRecord
}

function readSettlement(record: WireRecord): Settlement {
  try {
    return { ...read(record), record }
  } catch (error) {
    if (error instanceof PermanentError) throw new UnexpectedAnswer(error.message)
    throw error
  }
}

/** Spec, "Sales lines". Missing columns are null; voided lines do not come. */
export const salesLineShape = shape({
  lineId: first(idText, 'SALESLINEID'),
  saleId: first(idText, 'SALEID'),
  storeId: must(idText, 'STOREID_FK'),
  stockId: first(idText, 'STOCKID_FK'),
  productId: first(idText, 'PRODUCTID_FK'),
  gtin: first(text, 'EAN'),
  /** Store-local, without zone. */
  soldAt: must(wallClock, 'SaleDateTime'),
  /** Negative: a return. */
  quantity: must(decimal, 'Qty'),
  /** Of one piece, VAT included. */
  ...{ unitPrice: must(decimal, 'Price'), fullPrice: first(decimal, 'FullPrice') },
  /** Of one piece; cost without VAT. */
  ...{ discount: first(decimal, 'Discount'), cost: first(decimal, 'Cost') },
  /** A fraction: 0.25 is 25 %. */
  vatRate: first(decimal, 'VATPercent'),
  currency: first(capitals, 'Currency'),
  /** Without personal columns; empty in a list, to save memory. */
  record: itself,
})
export type SalesLine = ReturnType<typeof salesLineShape>

interface Days {
  from: string
  to: string
  select?: readonly string[]
}

const NEEDED = ['STOREID_FK', 'SaleDateTime', 'Qty', 'EAN', 'Price', 'FullPrice']

const USUAL = 'SALESLINEID SALEID STOCKID_FK PRODUCTID_FK Discount Cost VATPercent Currency'.split(' ')

const lean = (record: WireRecord): SalesLine => ({ ...salesLineShape(record), record: {} })

/** GET /odata/Saleslines, window by window. Throws a UserError for unusable days or columns. */
export function createSalesLines(client: Client) {
  const windowsBy = <Row>(
    { from, to, select = USUAL }: Days,
    read: (record: WireRecord) => Row,
    dayOf: (row: Row) => string,
    signal: AbortSignal | undefined,
  ): AsyncIterable<OdataWindow<Row>> => {
    const odata = { operation: 'salesLines.list' as const, query: {}, columns: columnsOf(NEEDED, select), read, signal }
    return readWindows(client, odata, windowsOf(from, to), dayOf)
  }
  return {
    list: (days: Days, signal?: AbortSignal) => windowsBy(days, lean, (line) => line.soldAt.slice(0, 10), signal),

    /** `take` gets each line as it is read, possibly of a window that fails later. */
    async each(days: Days, take: (line: SalesLine) => void, signal?: AbortSignal): Promise<Unreadable[]> {
      const rejected: Unreadable[] = []
      const read = (record: WireRecord) => take(salesLineShape(record))
      const windows = windowsBy(days, read, () => '', signal)
      for await (const window of windows) for (const row of window.rejected) rejected.push(row)
      return rejected
    },
  }
}

export const stockMovementShape = shape({
  gtin: first(text, 'EAN'),
  quantity: must(decimal, 'Qty'),
  stockId: must(idText, 'Stockid'),
  stockName: first(text, 'Stock'),
  movedAt: must(wallClock, 'MoveDateTime'),
  record: itself,
})
export type StockMovement = ReturnType<typeof stockMovementShape>

export function createStockMovements(client: Client) {
  return {
    list({ from, to, select = [] }: Days, signal?: AbortSignal): AsyncIterable<OdataWindow<StockMovement>> {
      const columns = columnsOf(stockMovementShape.fields, select)
      const odata = { operation: 'stockMovements.list' as const, query: {}, columns, read: stockMovementShape, signal }
      return readWindows(client, odata, windowsOf(from, to), (movement) => movement.movedAt.slice(0, 10))
    },
  }
}
