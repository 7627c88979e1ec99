import type { Settlement, SettlementRow, VatRate } from '../domain/books/settlement.ts'
import { readDecimal } from '../domain/values/decimal-field.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { field, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import { type Decimal, type Money, money, multiplyDecimals, parseDecimal } from '../domain/values/money.ts'
import { onceEach } from '../domain/values/once-each.ts'
import { orNothing } from './or-nothing.ts'

/**
 * Reads either version, pulled or pushed: they differ in the case of names, and in what is there. Throws a PermanentError
 * `bad-settlement` that says which field it has not, never a value.
 */
export const readSettlement = onceEach(readWhole)

function readWhole(record: unknown): Settlement {
  const currency = text(record, 'Currency')?.toUpperCase() ?? lacks('has no Currency')
  const sum = (name: string) => amount(record, name, currency)
  return {
    settlementId: idText(record, 'settlementId') ?? lacks('has no SETTLEMENTID'),
    batchNumber: text(record, 'BatchNumber'),
    storeId: idText(record, 'StoreId'),
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
    vatRates: orNothing(() => readRates(record, currency)),
    openingCashBalance: sum('OpeningCashBalance'),
    closingCashBalance: sum('ClosingCashBalance'),
    discrepancy: sum('Discrepancy'),
    payments: rowsOf(record, 'PaymentTypes', (row) => ({
      ...readRow(row, currency),
      tendered: orNothing(() => amount(row, 'CurrencyTendered', text(row, 'Currency') ?? currency)),
    })),
    withdrawals: rowsOf(record, 'Withdrawals', (row) => readRow(row, currency)),
    deposits: rowsOf(record, 'Deposits', (row) => readRow(row, currency)),
  }
}

/** In percent in the fiscal report: 25 is 0.25, and so is 0.25. A report that lacks any of it is as good as none: half of it would be wrong. */
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
