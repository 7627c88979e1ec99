import { Big } from 'big.js'
import {
  BOOKING_NAMES,
  type BookingName,
  isList,
  type Money,
  type Parts,
  PermanentError,
  shapeAt,
  shapeOf,
  storableText,
  valueAt,
} from 'tillbridge/adapter'

export type ColumnType =
  | 'key'
  | 'instant'
  | 'number'
  | 'text'
  | 'note'
  | 'decimal'
  | 'currency'
  | 'day'
  | 'time'
  | 'flag'

/** Decimals, days and times are text, so that no digit is lost. */
export type Value = string | number | boolean | null

export interface Table {
  name: string
  hasLines: boolean
  columns: readonly { name: string; type: ColumnType }[]
  /** Throws a PermanentError that names the column. */
  rowsOf(booking: object, key: string): Value[][]
}

interface Definition {
  table: string
  /** Lists with a row an entry; else a record is a row. */
  lists?: string
  /** `type name path`; of alternatives (`a|b`) the first known. */
  columns: string
  personal?: string
}

const GOODS = 'text gtin row.gtin, text sku row.sku, decimal quantity row.quantity'
const DELIVERY = `
  text delivery_id delivery.deliveryId, text reference delivery.reference, text stock_no delivery.stockNo,
  time changed_at delivery.at, text country country, text company_id delivery.companyId`

interface RecordTables {
  /** Where the record has the store or stock, if its place does not. */
  storeNo?: string
  stockId?: string
  tables: [Definition, ...Definition[]]
}

const TABLES: Record<BookingName, RecordTables> = {
  bookSale: {
    storeNo: 'sale.store.number',
    tables: [
      {
        table: 'sales',
        columns: `
          time sold_at sale.createdAt, text receipt_no sale.receiptNo, text order_no sale.orderNo, flag is_external external,
          currency currency sale.total|sale.vatTotal, decimal total sale.total.amount, decimal vat_total sale.vatTotal.amount,
          text store_name sale.store.name, text store_country sale.store.address.countryCode,
          text organization_no sale.store.organizationNumber, text pos_id sale.store.posId, text pos_name sale.store.posName,
          text sales_person sale.store.salesPerson, text carrier_id sale.shipping.carrierId,
          text carrier_service sale.shipping.carrierService, text ships_from_stock_id sale.fulfillment.stockId,
          note ships_from_stock_name sale.fulfillment.stockName`,
        personal: `
          text customer_id sale.customerId, text customer_no sale.customer.number,
          text customer_first_name sale.customer.firstName, text customer_last_name sale.customer.lastName,
          text customer_company sale.customer.companyName, text customer_email sale.customer.email,
          text customer_phone sale.customer.phone`,
      },
      {
        table: 'sale_lines',
        lists: 'sale.lines',
        columns: `
          time sold_at sale.createdAt, text row_id row.rowId, text gtin row.gtin, text sku row.sku, text name row.name,
          text brand row.brand, text color row.color, text size row.size, decimal quantity row.quantity,
          currency currency row.unitPrice|row.total|row.vat|row.fullPrice, decimal unit_price row.unitPrice.amount,
          decimal total row.total.amount, decimal vat row.vat.amount, decimal vat_rate row.vatRate,
          decimal full_price row.fullPrice.amount, flag is_from_online_store row.shipFromOnlineStore,
          note style_number row.number, note variant row.variant, note product_group row.group, note season row.season,
          rounded discount row.discount.amount, rounded discount_percent row.discountPercent, note reasons row.reasons`,
      },
      {
        table: 'sale_payments',
        lists: 'sale.payments',
        columns: `
          time sold_at sale.createdAt, text type row.type, text sub_type row.subType, currency currency row.amount,
          decimal amount row.amount.amount, text reference row.transaction, currency tendered_currency row.tendered,
          rounded tendered row.tendered.amount`,
        personal: 'note slip row.slip',
      },
    ],
  },
  bookInvoice: {
    storeNo: 'invoice.storeNo',
    tables: [
      {
        table: 'invoices',
        columns: `
          text invoice_id invoice.invoiceId, text invoice_no invoice.number, text receipt_no invoice.receiptNo,
          text pos_id invoice.posId, time made_at invoice.at, day invoiced_on invoice.invoicedOn, day due_on invoice.dueOn,
          currency currency invoice.amount|invoice.vatTotal, decimal amount invoice.amount.amount,
          decimal vat_total invoice.vatTotal.amount`,
        personal: `
          text customer_id invoice.customer.customerId, text customer_name invoice.customer.name,
          text customer_email invoice.customer.email`,
      },
    ],
  },
  bookSettlement: {
    storeNo: 'settlement.storeNo',
    tables: [
      {
        table: 'settlements',
        columns: `
          text settlement_id settlement.settlementId, text batch_no settlement.batchNumber, text store_id settlement.storeId,
          text store_name settlement.storeName, text pos_id settlement.posId, text pos_name settlement.posName,
          time settled_at settlement.settledAt, time period_from settlement.from, time period_to settlement.to,
          text receipt_no_from settlement.receiptNoFrom, text receipt_no_to settlement.receiptNoTo,
          currency currency settlement, decimal gross_total settlement.grossTotal.amount,
          decimal gross_discount settlement.grossDiscount.amount, decimal grand_total settlement.grandTotal.amount,
          decimal net_total settlement.netTotal.amount, decimal vat_total settlement.vatTotal.amount,
          decimal vat_area_1 settlement.vatAreas.0.amount, decimal vat_area_2 settlement.vatAreas.1.amount,
          decimal vat_area_3 settlement.vatAreas.2.amount, decimal opening_cash_balance settlement.openingCashBalance.amount,
          decimal closing_cash_balance settlement.closingCashBalance.amount, decimal discrepancy settlement.discrepancy.amount,
          decimal journal_difference journal.difference.amount, text released_by released.by,
          note released_reason released.reason, text country country, note store_info settlement.storeInfo,
          note person_name settlement.personName, note comment settlement.comment`,
      },
      {
        table: 'settlement_payments',
        lists: 'settlement.payments settlement.withdrawals settlement.deposits',
        columns: `
          text sort sort, text payment_type_id row.paymentTypeId, text type row.type, text sub_type row.subType,
          currency currency row.amount, decimal amount row.amount.amount, currency tendered_currency row.tendered,
          decimal tendered row.tendered.amount`,
      },
      {
        table: 'settlement_vat_rates',
        lists: 'settlement.vatRates',
        columns: `decimal vat_rate row.rate, currency currency row.sales|row.vat, decimal sales row.sales.amount,
          decimal vat row.vat.amount`,
      },
      {
        table: 'journal_lines',
        lists: 'journal.lines',
        columns: `text account row.account, note description row.text, currency currency row.amount,
          decimal amount row.amount.amount, decimal vat_rate row.vatRate`,
      },
    ],
  },
  bookReceived: {
    stockId: 'delivery.stockId',
    tables: [
      {
        table: 'received_goods',
        columns: `${DELIVERY}, text article line.article, text gtin line.gtin, decimal quantity quantity,
          decimal received_in_all line.received, decimal expected line.expected, currency currency line.cost,
          decimal cost line.cost.amount`,
      },
    ],
  },
  bookCost: {
    stockId: 'delivery.stockId',
    tables: [
      {
        table: 'cost_changes',
        columns: `${DELIVERY}, text article article, text gtin gtin, currency currency cost, decimal cost cost.amount`,
      },
    ],
  },
  bookDelivery: {
    stockId: 'delivery.stockId',
    tables: [
      {
        table: 'deliveries',
        columns: `${DELIVERY}, text type delivery.type, text status delivery.status, flag is_completed delivery.isCompleted,
          day expected_on delivery.expectedOn, note comment delivery.comment, text brand delivery.brand,
          text season delivery.season, text order_type delivery.orderType,
          decimal expected_quantity delivery.expectedQuantity, decimal expected_cost delivery.expectedCost,
          decimal received_quantity delivery.receivedQuantity, decimal received_cost delivery.receivedCost`,
      },
      {
        table: 'delivery_lines',
        lists: 'delivery.lines',
        columns: `
          text article row.article, text gtin row.gtin, decimal expected row.expected, decimal received row.received,
          currency currency row.cost, decimal cost row.cost.amount, text product_id row.productId, note name row.name,
          text number row.number, text variant row.variant, note color row.color, text size row.label,
          note description row.description`,
      },
    ],
  },
  bookMovement: {
    stockId: 'movement.stockId',
    tables: [
      {
        table: 'stock_movements',
        columns: `
          text movement_id movement.movementId, text stock_no movement.stockNo, time moved_at movement.at,
          text gtin movement.gtin, text sku movement.sku, text type movement.type, decimal quantity movement.quantity,
          decimal stock_level movement.level`,
      },
    ],
  },
  bookCount: {
    stockId: 'count.stockId',
    tables: [
      {
        table: 'stock_counts',
        columns: `
          text count_id count.countId, text stock_no count.stockNo, note description count.description,
          flag is_complete count.isComplete, time counted_at count.countedAt, time made_at count.at`,
      },
      { table: 'stock_count_items', lists: 'count.items', columns: GOODS },
    ],
  },
  bookAdjustment: {
    stockId: 'adjustment.stockId',
    tables: [
      {
        table: 'adjustments',
        columns: `text adjustment_id adjustment.adjustmentId, text stock_no adjustment.stockNo, time made_at adjustment.at,
          note reason adjustment.reason`,
      },
      { table: 'adjustment_items', lists: 'adjustment.items', columns: GOODS },
    ],
  },
  bookTransfer: {
    tables: [
      {
        table: 'transfers',
        columns: `
          text transfer_id transfer.transferId, text step step, flag is_virtual virtual,
          text from_stock_id transfer.fromStockId, text from_stock_no transfer.fromStockNo,
          text to_stock_id transfer.toStockId, text to_stock_no transfer.toStockNo, text status transfer.status,
          time sent_at transfer.sentAt, time received_at transfer.receivedAt`,
      },
      { table: 'transfer_lines', lists: 'transfer.lines', columns: `${GOODS}, decimal received row.received` },
    ],
  },
  bookGiftCard: {
    storeNo: 'transaction.storeNo',
    tables: [
      {
        table: 'gift_card_transactions',
        columns: `
          text transaction_id transaction.transactionId, text gift_card_id transaction.giftCardId, text type transaction.type,
          text receipt_no transaction.receiptNo, text pos_id transaction.posId, time made_at transaction.at,
          currency currency transaction.amount|transaction.balance, decimal amount transaction.amount.amount,
          decimal balance transaction.balance.amount`,
      },
    ],
  },
  bookTerminal: {
    storeNo: 'reconciliation.storeNo',
    tables: [
      {
        table: 'terminal_reconciliations',
        columns: `
          text reconciliation_id reconciliation.reconciliationId, text terminal_id reconciliation.terminalId,
          text pos_id reconciliation.posId, time reconciled_at reconciliation.at,
          decimal transaction_count reconciliation.count, currency currency reconciliation.amount,
          decimal amount reconciliation.amount.amount`,
      },
      {
        table: 'terminal_schemes',
        lists: 'reconciliation.schemes',
        columns: `text scheme row.scheme, decimal transaction_count row.count, currency currency row.amount,
          decimal amount row.amount.amount`,
      },
    ],
  },
  bookReservation: {
    stockId: 'reservation.stockId',
    tables: [
      {
        table: 'reservations',
        columns: `
          text reservation_id reservation.reservationId, text step step, text stock_no reservation.stockNo,
          text gtin reservation.gtin, text sku reservation.sku, decimal quantity reservation.quantity,
          text order_no reservation.orderNo, text status reservation.status, time reserved_at reservation.at,
          time expires_at reservation.expiresAt, time released_at reservation.releasedAt`,
      },
    ],
  },
}

export const RECORD_NAMES = BOOKING_NAMES.map((name) => TABLES[name].tables[0].table)

export interface TakenRecord {
  method: BookingName
  tables: [Table, ...Table[]]
}

export function recordsTaken(only: readonly string[] | undefined, customers: boolean): TakenRecord[] {
  return BOOKING_NAMES.filter((method) => only?.includes(TABLES[method].tables[0].table) ?? true).map((method) => {
    const { storeNo = 'storeNo', stockId = 'stockId', tables } = TABLES[method]
    const place = `text store_no storeNo|${storeNo}, text stock_id stockId|${stockId}, day day day`
    const [head, ...lines] = tables.map((definition) =>
      tableOf(definition, { place, customers, shape: shapeOf(method) }),
    )
    return { method, tables: [head as Table, ...lines] }
  })
}

interface Kind {
  place: string
  customers: boolean
  shape: Parts
}

function tableOf({ table, lists, columns, personal }: Definition, { place, customers, shape }: Kind): Table {
  const all = [place, columns, ...(customers && personal ? [personal] : [])].join(',').split(',')
  const paths = lists?.split(' ') ?? []
  const own = all.map((text) => columnOf(text.trim(), partsIn(paths, shape)))
  const hasLines = paths.length > 0
  return {
    name: table,
    hasLines,
    columns: [KEY, ...(hasLines ? [LINE_NO] : []), ...own],
    rowsOf(booking, key) {
      if (!hasLines) return [[key, ...own.map((column) => column.valueIn(booking))]]
      const rows = paths.flatMap((path) => {
        const sort = path.slice(path.lastIndexOf('.') + 1, -1)
        return ((valueAt(booking, path) ?? []) as unknown[]).map((row) => ({ ...booking, row, sort }))
      })
      return rows.map((row, index) => [key, index + 1, ...own.map((column) => column.valueIn(row))])
    },
  }
}

const KEY = { name: 'booking_key', type: 'key' } as const
const LINE_NO = { name: 'line_no', type: 'number' } as const

function partsIn([list]: readonly string[], shape: Parts): Parts {
  const found = list === undefined ? null : shapeAt(list, shape)
  return found && 'shape' in found && isList(found.shape) ? { ...shape, row: found.shape[0], sort: 'text' } : shape
}

function columnOf(text: string, parts: Parts) {
  const [written = '', name = '', alternatives = ''] = text.split(' ')
  const paths = alternatives.split('|')
  for (const path of paths) {
    const found = shapeAt(path, parts)
    if ('fault' in found) throw new TypeError(`${name}: ${found.fault}`)
  }
  const read = (view: object): Value => {
    const values = paths.map((path) => valueAt(view, path)).filter((value) => value !== null)
    return (READERS[written] ?? plain)(written === 'currency' ? values : values[0])
  }
  return {
    name,
    type: (written === 'rounded' ? 'decimal' : written) as ColumnType,
    valueIn(view: object): Value {
      try {
        return read(view)
      } catch (error) {
        if (!(error instanceof PermanentError)) throw error
        throw new PermanentError(`${name}: ${error.message}`, { code: error.code, cause: error })
      }
    },
  }
}

const READERS: Readonly<Record<string, (value: unknown) => Value>> = {
  currency: (amounts) => currencyOf(amounts as Money[]),
  // Not used in accounting: may be rounded.
  rounded: (value) => (typeof value === 'string' ? new Big(value).round(9).toFixed() : null),
  day: (value) => clockOf(value)?.day ?? null,
  time(value) {
    const found = clockOf(value)
    return found && `${found.day} ${found.time}`
  },
}

function plain(value: unknown): Value {
  if (Array.isArray(value)) return storableText(value.join('; ')) || null
  return typeof value === 'string' ? storableText(value) : ((value ?? null) as Value)
}

/** Throws PermanentError `mixed-currencies`. */
function currencyOf(amounts: readonly Pick<Money, 'currency'>[]): string | null {
  const [first = null, ...others] = new Set(amounts.map(({ currency }) => currency))
  if (others.length === 0) return first
  throw new PermanentError('amounts of one row are in several currencies', { code: 'mixed-currencies' })
}

const DATETIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?$/i

/** .NET's unset datetime. */
const NEVER = '0001-01-01'

/** Wall clock without zone, cut to milliseconds (databases would round). Throws PermanentError `not-a-datetime`. */
function clockOf(written: unknown): { day: string; time: string } | null {
  if (typeof written !== 'string') return null
  const [, day = '', minutes = '00:00', seconds = '00', parts = ''] = DATETIME.exec(written.trim()) ?? []
  if (day === NEVER) return null
  const time = `${minutes}:${seconds}.${parts.slice(0, 3).padEnd(3, '0')}`
  const instant = new Date(`${day}T${time}Z`)
  if (Number.isNaN(instant.getTime()) || instant.toISOString() !== `${day}T${time}Z`)
    throw new PermanentError('not a day and time such as 2026-08-03T16:58:28', { code: 'not-a-datetime' })
  return { day, time }
}
