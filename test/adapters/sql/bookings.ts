import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import { money, parseDecimal } from '../../../src/domain/values/money.ts'
import {
  readDelivery,
  readMovement,
  readReservation,
  readStockAdjustment,
  readStockCount,
  readTransfer,
} from '../../../src/platform/payloads/goods.ts'
import { readSale } from '../../../src/platform/payloads/sale.ts'
import {
  readGiftCardTransaction,
  readInvoice,
  readSettlement,
  readTerminalReconciliation,
} from '../../../src/platform/payloads/settlement.ts'
import { delivery, type Given, pulledSettlement, sale, saleLine, stockMovement } from '../../fixtures/payloads.ts'

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
  const { lines: _, ...head } = readDelivery(delivery())
  const line = {
    article: 'A',
    gtin: null,
    identifier: 'A',
    productId: '50010',
    name: 'T-shirt',
    number: '1001',
    variant: 'BLK',
    color: 'Black',
    label: 'M',
    description: null,
    expected: parseDecimal(10),
    received: parseDecimal(4),
    cost: money(120, 'NOK'),
    currentLevel: null,
    movements: [],
  }
  const goods = { gtin: '7090012340011', sku: 'TEE-BLK-M', quantity: 3 }
  const rows = [{ PaymentTypeId: '1', Type: 'Cash', SubType: null, Amount: 50 }]
  const SAFT_ZReport = { reportCashSalesVat: [{ vatPerc: 25, cashSaleAmnt: 18250.5, vatAmnt: 3650.1 }] }
  const settlement = readSettlement(pulledSettlement({ Withdrawals: rows, Deposits: rows, SAFT_ZReport }))
  const amount = money(18250.5, 'NOK')
  return {
    bookSale: saleBooking(),
    bookInvoice: {
      ...PLACE,
      invoice: readInvoice({
        id: 1,
        invoiceNo: 'I-1',
        amount: 349,
        currency: 'NOK',
        dueDate: '2026-12-20',
        customer: BUYER,
      }),
    },
    bookSettlement: {
      ...PLACE,
      settlement,
      journal: {
        lines: [
          { account: '1910', text: 'Card Visa', amount, vatRate: null },
          { account: '3000', text: 'Sales 25 %', amount: money(-18250.5, 'NOK'), vatRate: '0.25' },
        ],
        difference: money(0, 'NOK'),
      },
      released: { by: 'ola', reason: 'counted again' },
    },
    bookReceived: { ...PLACE, delivery: head, line, quantity: parseDecimal(4) },
    bookCost: { ...PLACE, delivery: head, article: 'A', gtin: null, cost: money(118.75, 'NOK') },
    bookDelivery: { ...PLACE, delivery: { ...head, lines: [line] } },
    bookMovement: { ...PLACE, movement: readMovement(stockMovement()) },
    bookCount: {
      ...PLACE,
      count: readStockCount({ id: 5, stockId: 12, items: [goods], countedDateTime: '2026-11-20T08:00:00' }),
    },
    bookAdjustment: {
      ...PLACE,
      adjustment: readStockAdjustment({ id: 6, stockId: 12, items: [goods], reason: 'broken' }),
    },
    bookTransfer: {
      ...PLACE,
      step: 'received',
      virtual: false,
      transfer: readTransfer({ id: 7, fromStockId: 12, toStockId: 13, products: [{ ...goods, quantityReceived: 2 }] }),
    },
    bookGiftCard: {
      ...PLACE,
      transaction: readGiftCardTransaction({ id: 8, type: 'Used', amount: -100, balance: 400, currency: 'NOK' }),
    },
    bookTerminal: {
      ...PLACE,
      reconciliation: readTerminalReconciliation({
        id: 9,
        amount: 900,
        count: 4,
        currency: 'NOK',
        printedDateTime: '2026-11-20T21:00:00',
        schemes: [{ scheme: 'Visa', count: 3, amount: 700 }],
      }),
    },
    bookReservation: {
      ...PLACE,
      step: 'made',
      reservation: readReservation({ id: 10, stockId: 12, gtin: '7090012340011', quantity: 1, extId: 'A1' }),
    },
  }
}
