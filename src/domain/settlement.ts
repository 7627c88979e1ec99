import { PermanentError } from './errors.ts'
import { field, text } from './field.ts'
import { type Decimal, type Money, money, multiplyDecimals, parseDecimal } from './money.ts'
import { wallClockIn } from './store-time.ts'

/** A settlement (Z report) of one POS (spec, "POS settlement"); amounts are in its currency. Null: nobody says. */
export interface Settlement {
  settlementId: string
  batchNumber: string | null
  /** Version 2 names the store by its id, version 1 by its number. */
  storeId: string | null
  storeNo: string | null
  storeName: string | null
  /** The store's own words about itself (spec: `StoreInfo`). */
  storeInfo: string | null
  posId: string | null
  posName: string | null
  /** Who made it. */
  personName: string | null
  /** What was written with it: why the cash differs, for instance. */
  comment: string | null
  /** Wall clocks of the store, as the platform wrote them; with an offset where it wrote one (inStoreTime). */
  settledAt: string | null
  from: string | null
  to: string | null
  receiptNoFrom: string | null
  receiptNoTo: string | null
  currency: string
  grossTotal: Money | null
  grossDiscount: Money | null
  grandTotal: Money | null
  netTotal: Money | null
  vatTotal: Money | null
  /** VATArea1 to VATArea3: the VAT of each; which rate each is for is not shown. */
  vatAreas: (Money | null)[]
  /** What the fiscal report says of each rate, where there is one (`SAFT_ZReport.reportCashSalesVat`); null: there is none. */
  vatRates: VatRate[] | null
  openingCashBalance: Money | null
  closingCashBalance: Money | null
  discrepancy: Money | null
  payments: SettlementPayment[] | null
  withdrawals: SettlementRow[] | null
  deposits: SettlementRow[] | null
}

/** What was sold at one rate. */
export interface VatRate {
  /** A fraction: 0.25 is 25 %. */
  rate: Decimal
  /** With VAT. */
  sales: Money
  vat: Money
}

export interface SettlementRow {
  paymentTypeId: string | null
  /** `Card`, `Cash`, `Giftcard`, `Voucher` … as the platform writes it. */
  type: string | null
  subType: string | null
  amount: Money
}

export interface SettlementPayment extends SettlementRow {
  /** What was handed over, in its own currency. */
  tendered: Money | null
}

/**
 * Reads either version, pulled or pushed: they differ in the case of names, and in what is there. Throws a PermanentError
 * `bad-settlement` that says which field it has not, never a value.
 */
export function readSettlement(record: unknown): Settlement {
  const currency = text(record, 'Currency')?.toUpperCase() ?? lacks('has no Currency')
  const sum = (name: string) => amount(record, name, currency)
  return {
    settlementId: text(record, 'settlementId') ?? lacks('has no SETTLEMENTID'),
    batchNumber: text(record, 'BatchNumber'),
    storeId: text(record, 'StoreId'),
    storeNo: text(record, 'StoreNo') ?? text(record, 'storeExtId'),
    storeName: text(record, 'StoreName'),
    storeInfo: text(record, 'StoreInfo'),
    posId: text(record, 'POSID'),
    posName: text(record, 'PosName'),
    personName: text(record, 'PersonName'),
    comment: text(record, 'Comment'),
    settledAt: text(record, 'SettlementTimeStamp'),
    from: text(record, 'DateTimeFrom'),
    to: text(record, 'DateTimeTo'),
    receiptNoFrom: text(record, 'ReceiptNoFrom'),
    receiptNoTo: text(record, 'ReceiptNoTo'),
    currency,
    grossTotal: sum('GrossTotal'),
    grossDiscount: sum('GrossDiscount'),
    grandTotal: sum('GrandTotal'),
    netTotal: sum('NetTotal'),
    vatTotal: sum('VATTotal'),
    vatAreas: [sum('VATArea1'), sum('VATArea2'), sum('VATArea3')],
    vatRates: readRates(record, currency),
    openingCashBalance: sum('OpeningCashBalance'),
    closingCashBalance: sum('ClosingCashBalance'),
    discrepancy: sum('Discrepancy'),
    payments: rowsOf(record, 'PaymentTypes', (row) => ({
      ...readRow(row, currency),
      tendered: amount(row, 'CurrencyTendered', text(row, 'Currency') ?? currency),
    })),
    withdrawals: rowsOf(record, 'Withdrawals', (row) => readRow(row, currency)),
    deposits: rowsOf(record, 'Deposits', (row) => readRow(row, currency)),
  }
}

/** Whether it names its payments: what was pushed may name totals alone. */
export function isWhole({ payments }: Pick<Settlement, 'payments'>): boolean {
  return payments !== null
}

/** The same with times that have an offset as the wall clock of the store. */
export function inStoreTime(settlement: Settlement, zone: string | null): Settlement {
  const { settledAt, from, to } = settlement
  return {
    ...settlement,
    settledAt: wallClockIn(settledAt, zone),
    from: wallClockIn(from, zone),
    to: wallClockIn(to, zone),
  }
}

/** The store's day that it belongs to, `yyyy-mm-dd`: that of the last sale in it, else that on which it was made. */
export function settlementDay({ to, settledAt }: Pick<Settlement, 'to' | 'settledAt'>): string | null {
  return (to ?? settledAt)?.slice(0, 10) ?? null
}

/** In percent in the fiscal report: 25 is 0.25, and so is 0.25. */
function readRates(record: unknown, currency: string): VatRate[] | null {
  return rowsOf(field(record, 'SAFT_ZReport'), 'reportCashSalesVat', (row) => {
    const percent = decimal(row, 'vatPerc') ?? lacks('has no vatPerc')
    return {
      rate: fractionOf(percent),
      sales: amount(row, 'cashSaleAmnt', currency) ?? lacks('has no cashSaleAmnt'),
      vat: amount(row, 'vatAmnt', currency) ?? lacks('has no vatAmnt'),
    }
  })
}

const HUNDREDTH = parseDecimal('0.01')

function fractionOf(percent: Decimal): Decimal {
  return Number(percent) < 1 ? percent : multiplyDecimals(percent, HUNDREDTH)
}

/** Null where the field is not there: version 2 leaves these out unless they are asked for, which is not "there are none". */
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
  const found = field(record, name)
  if (found === undefined || found === null || (typeof found === 'string' && found.trim() === '')) return null
  try {
    return parseDecimal(found)
  } catch {
    return lacks(`has a ${name} that is not a decimal`)
  }
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
