import { Accounts as Schema } from '../../../src/config/sections.ts'
import { type Accounts, type Journal, journalOf } from '../../../src/domain/accounting/journal.ts'
import type { Settlement } from '../../../src/domain/accounting/settlement.ts'
import { readSettlement } from '../../../src/platform/payloads/settlement.ts'
import { pulledSettlement } from '../../fixtures/payloads.ts'

export const WRITTEN = {
  payments: {
    Card: '1900',
    'Card/Visa': '1901',
    Cash: '1910',
    'Cash/ForeignCash': '1915',
    Giftcard: '2900',
    'Giftcard/Giftcard old in': '2901',
    'Voucher/Voucher in': '2905',
    'voucher / voucher  OLD in': '2906',
    'Voucher/Voucher out': '2905',
  },
  rounding: '7770',
  vat: {
    '25': { sales: '3000', vat: '2700' },
    '15': { sales: '3015', vat: '2715' },
    '12': { sales: '3012', vat: '2712' },
    '0': { sales: '3100' },
  },
  areas: { 1: 25, 2: 15, 3: 12 },
  discrepancy: '7799',
  deposits: '1920',
  withdrawals: '1925',
  differences: '1999',
}

export function accountsOf(given: Record<string, unknown> = {}): Accounts {
  return Schema.parse({ ...WRITTEN, ...given })
}

type Row = [type: string, subType: string | null, amount: number]

/** A day on which nothing happened but what is given; `paid` as type, subtype and amount. */
export function settlementOf({ paid = [], ...given }: Record<string, unknown> & { paid?: Row[] }): Settlement {
  return readSettlement(
    pulledSettlement({
      ...{ GrandTotal: 0, NetTotal: 0, VATTotal: 0, VATArea1: null, VATArea2: null, VATArea3: null, Discrepancy: 0 },
      PaymentTypes: rows(paid),
      ...given,
    }),
  )
}

export function rows(written: Row[]) {
  return written.map(([Type, SubType, Amount], index) => ({
    PaymentTypeId: Type === '' ? null : String(index),
    Type,
    SubType,
    Amount,
  }))
}

/** A settlement's journal, a line each: `1901 Card Visa 125`. */
export function linesOf(given: Parameters<typeof settlementOf>[0], accounts: Parameters<typeof accountsOf>[0] = {}) {
  return shown(journalOf(settlementOf(given), accountsOf(accounts)))
}

export function shown({ lines, difference }: Journal): string[] {
  const all = lines.map(({ account, text, amount }) => `${account} ${text} ${amount.amount}`)
  return difference.amount === '0' ? all : [...all, `missing ${difference.amount}`]
}
