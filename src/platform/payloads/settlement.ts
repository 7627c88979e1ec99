import type { GiftCardTransaction, Invoice, TerminalReconciliation } from '../../domain/accounting/bookings.ts'
import type { FiscalReport, Settlement, SettlementRow, VatRate } from '../../domain/accounting/settlement.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { field, idText, onceEach, text, texts } from '../../domain/values/field.ts'
import {
  type Decimal,
  decimalOrNull,
  distanceBetween,
  type Money,
  money,
  multiplyDecimals,
  parseDecimal,
  readDecimal,
  ZERO,
} from '../../domain/values/money.ts'
import { GIFT_CARD, INVOICE, TERMINAL } from './known/kinds.ts'
import { type FieldReader, fieldsOf, orNothing } from './read-field.ts'

/** Versions 1 and 2 differ in case and content. */
export const readSettlement = onceEach(readWhole)

function readWhole(record: unknown): Settlement {
  const currency = text(record, 'Currency')?.toUpperCase() ?? lacks('has no Currency')
  const sum = (name: string) => amount(record, name, currency)
  return {
    settlementId: idText(record, 'settlementId') ?? lacks('has no SETTLEMENTID'),
    storeId: idText(record, 'StoreId'),
    storeNo: text(record, 'StoreNo') ?? text(record, 'storeExtId'),
    posId: text(record, 'POSID'),
    settledAt: text(record, 'SettlementTimeStamp'),
    from: text(record, 'DateTimeFrom'),
    to: text(record, 'DateTimeTo'),
    ...texts(record, 'batchNumber', 'storeName', 'storeInfo', 'posName', 'personName', 'comment'),
    ...texts(record, 'receiptNoFrom', 'receiptNoTo'),
    currency,
    grossTotal: sum('GrossTotal'),
    grossDiscount: sum('GrossDiscount'),
    grandTotal: sum('GrandTotal'),
    netTotal: sum('NetTotal'),
    vatTotal: sum('VATTotal'),
    vatAreas: [sum('VATArea1'), sum('VATArea2'), sum('VATArea3')],
    vatRates: orNothing(() => readRates(record, currency)),
    openingCashBalance: sum('OpeningCashBalance'),
    closingCashBalance: sum('ClosingCashBalance'),
    discrepancy: sum('Discrepancy'),
    payments: readPayments(record, currency, sum('GrandTotal') ?? sum('NetTotal')),
    withdrawals: rowsOf(record, 'Withdrawals', (row) => readRow(row, currency)),
    deposits: rowsOf(record, 'Deposits', (row) => readRow(row, currency)),
  }
}

/** Without sales, none is an answer; with sales, it is none. */
function readPayments(record: unknown, currency: string, sold: Money | null): Settlement['payments'] {
  const payments = rowsOf(record, 'PaymentTypes', (row) => ({
    ...readRow(row, currency),
    tendered: orNothing(() => amount(row, 'CurrencyTendered', text(row, 'Currency') ?? currency)),
  }))
  return payments?.length === 0 && sold?.amount !== '0' ? null : payments
}

/** Percent or fraction: 25 is 0.25. An incomplete report is ignored. */
function readRates(record: unknown, currency: string): VatRate[] | null {
  return rowsOf(field(record, 'SAFT_ZReport'), 'reportCashSalesVat', (row) => {
    const percent = decimal(row, 'vatPerc') ?? lacks('has no vatPerc')
    return {
      rate: Number(percent) < 1 ? percent : multiplyDecimals(percent, HUNDREDTH),
      sales: amount(row, 'cashSaleAmnt', currency) ?? lacks('has no cashSaleAmnt'),
      vat: amount(row, 'vatAmnt', currency) ?? lacks('has no vatAmnt'),
    }
  })
}

const HUNDREDTH = parseDecimal('0.01')

function rowsOf<Row>(record: unknown, name: string, read: (row: unknown) => Row): Row[] | null {
  const found = field(record, name)
  if (found === undefined || found === null) return null
  return (Array.isArray(found) ? found : [found]).map((row, index) => {
    try {
      return typeof row === 'object' && row !== null ? read(row) : lacks('is not an object')
    } catch (error) {
      if (error instanceof PermanentError) lacks(`${name}: ${index + 1} ${error.message}`)
      throw error
    }
  })
}

function readRow(row: unknown, currency: string): SettlementRow {
  return {
    paymentTypeId: text(row, 'PaymentTypeId'),
    type: text(row, 'Type'),
    subType: text(row, 'SubType'),
    amount: amount(row, 'Amount', currency) ?? lacks('has no Amount'),
  }
}

function decimal(record: unknown, name: string): Decimal | null {
  return readDecimal(record, name, () => lacks(`has a ${name} that is not a decimal`))
}

function amount(record: unknown, name: string, currency: string): Money | null {
  const found = decimal(record, name)
  if (found === null) return null
  try {
    return money(found, currency)
  } catch {
    return lacks('has a Currency that is not one')
  }
}

function lacks(what: string): never {
  throw new PermanentError(what, { code: 'bad-settlement' })
}

export function readInvoice(payload: unknown): Invoice {
  const read = fieldsOf(INVOICE, payload)
  const { firstName, lastName, companyName, customerId, email } = read.texts(
    ...(['firstName', 'lastName', 'companyName', 'customerId', 'email'] as const),
  )
  return {
    ...read.texts('storeNo', 'posId', 'at', 'invoiceId', 'number', 'receiptNo', 'invoicedOn', 'dueOn'),
    amount: amountIn(read, 'amount'),
    vatTotal: amountIn(read, 'vatTotal'),
    customer: { customerId, name: companyName ?? ([firstName, lastName].filter(Boolean).join(' ') || null), email },
  }
}

export function readGiftCardTransaction(payload: unknown): GiftCardTransaction {
  const read = fieldsOf(GIFT_CARD, payload)
  return {
    ...read.texts('storeNo', 'posId', 'at', 'transactionId', 'giftCardId', 'type', 'receiptNo'),
    amount: amountIn(read, 'amount'),
    balance: amountIn(read, 'balance'),
  }
}

export function readTerminalReconciliation(payload: unknown): TerminalReconciliation {
  const read = fieldsOf(TERMINAL, payload)
  return {
    ...read.texts('storeNo', 'posId', 'at', 'reconciliationId', 'terminalId'),
    amount: amountIn(read, 'amount'),
    count: read.decimal('count'),
    schemes: read.list('schemes').map((row) => ({
      scheme: row.text('scheme') ?? 'unknown',
      count: row.decimal('count'),
      amount: amountIn(row, 'amount', read.text('currency')),
    })),
  }
}

function amountIn(read: FieldReader, name: string, currency = read.text('currency')): Money | null {
  const found = read.decimal(name)
  return found === null || currency === null ? null : money(found, currency)
}

export function readFiscal(record: unknown): FiscalReport | null {
  const report = field(record, 'SAFT_ZReport')
  if (typeof report !== 'object' || report === null) return null
  const decimal = (name: string) => decimalOrNull(field(report, name))
  const count = (name: string) => {
    const found = Number(decimal(name) ?? Number.NaN)
    return Number.isSafeInteger(found) ? found : null
  }
  const returned = decimal('reportReturnAmnt')
  return {
    number: text(report, 'reportID'),
    registerId: text(report, 'registerID'),
    counters: {
      sales: decimal('reportGrandTotalSales'),
      returns: decimal('reportGrandTotalReturn'),
      net: decimal('reportGrandTotalSalesNet'),
    },
    counts: { receipts: count('reportReceiptNum'), returns: count('reportReturnNum') },
    // The sign is undocumented.
    returned: returned && distanceBetween(returned, ZERO),
    training: decimal('reportTrainingAmnt'),
  }
}
