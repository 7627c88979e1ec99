import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import { readSettlement } from '../../../src/platform/payloads/settlement.ts'
import { journal, RECORDS } from '../../../test/adapters/records.ts'
import { type Given, pulledSettlement, sale, saleLine } from '../../../test/fixtures/payloads.ts'

export const PLACE = { storeNo: '101', storeId: '42', storeKey: '101', country: 'NO', stockId: '12', day: '2026-11-20' }

/** Who bought, in every sale: nobody else's table holds it unless it is asked for. */
export const BUYER = {
  email: 'kari.nordmann@example.com',
  firstName: 'Kari',
  lastName: 'Nordmann',
  companyName: '',
  phoneCountryPrefix: '47',
  phone: '90012345',
  customerExtId: 'C-9',
}

/** Two shirts, and a pair of socks that came back. */
export function saleBooking(given: Given = {}): Bookings['bookSale'] {
  const orderLines = [saleLine({ quantity: 2 }), saleLine({ rowId: '2', name: 'Socks', quantity: -1, price: 49.5 })]
  return {
    ...PLACE,
    external: false,
    sale: readSale(sale({ orderLines, total: 648.5, vatTotal: 129.7, customer: BUYER, ...given })),
  }
}

/** One of each, with lines where it can have them. */
export function everyBooking(): Bookings {
  const row = [{ PaymentTypeId: '1', Type: 'Cash', SubType: null, Amount: 50 }]
  const SAFT_ZReport = { reportCashSalesVat: [{ vatPerc: 25, cashSaleAmnt: 18250.5, vatAmnt: 3650.1 }] }
  const settlement = readSettlement(pulledSettlement({ Withdrawals: row, Deposits: row, SAFT_ZReport }))
  return {
    ...RECORDS,
    bookSale: saleBooking(),
    bookSettlement: { ...PLACE, settlement, journal, released: { by: 'ola', reason: 'counted again' } },
  }
}
