import type { FiscalReport } from '../domain/books/fiscal.ts'
import { PermanentError } from '../domain/values/errors.ts'
import { field, text } from '../domain/values/field.ts'
import { type Decimal, distanceBetween, parseDecimal } from '../domain/values/money.ts'

/**
 * The fiscal report within a settlement (`SAFT_ZReport` of version 2, public facts); null: it has none. What cannot be read is null:
 * the settlement is the same without it.
 */
export function readFiscal(record: unknown): FiscalReport | null {
  const report = field(record, 'SAFT_ZReport')
  if (typeof report !== 'object' || report === null) return null
  const decimal = (name: string) => decimalIn(field(report, name))
  const count = (name: string) => {
    const found = Number(decimal(name) ?? Number.NaN)
    return Number.isSafeInteger(found) ? found : null
  }
  return {
    number: text(report, 'reportID'),
    registerId: text(report, 'registerID'),
    counters: {
      sales: decimal('reportGrandTotalSales'),
      returns: decimal('reportGrandTotalReturn'),
      net: decimal('reportGrandTotalSalesNet'),
    },
    counts: { receipts: count('reportReceiptNum'), returns: count('reportReturnNum') },
    returned: unsigned(decimal('reportReturnAmnt')),
    training: decimal('reportTrainingAmnt'),
  }
}

const NOTHING = parseDecimal(0)

/** An amount of which no document shows the sign. */
function unsigned(amount: Decimal | null): Decimal | null {
  return amount === null ? null : distanceBetween(amount, NOTHING)
}

function decimalIn(found: unknown): Decimal | null {
  try {
    return parseDecimal(found)
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}
