import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { type Erp, openErp } from './erp-given.ts'

/*
 * Numbers begin again: a terminal is replaced, a year is over, each gift card counts by itself, a transfer comes in two cars. Nobody says
 * of these kinds what their numbers are unique in.
 */

const COUNT = { reconciliationId: 7, terminalId: 'T1', amount: 100, currency: 'NOK', storeExtId: '101' }
const INVOICE = { invoiceNo: 'F-9', amount: 100, currency: 'NOK', storeExtId: '101' }
const CARD = { transactionId: 1, giftCardId: 7, amount: -250, currency: 'NOK', storeExtId: '101' }
const TRANSFER = { transferId: 88, fromStockId: 12, toStockId: 13, createdDateTime: '2026-11-20T08:00:00' }
const received = (many: number) => [{ gtin: '7090012340011', quantity: 10, quantityReceived: many }]
const RESERVED = { id: 5, stockId: 12, gtin: '7090012340011', createdDateTime: '2026-11-20T08:00:00' }

const RETRY_AFTER_MS = [
  [
    'a terminal that was replaced counts from 1 again',
    'BankterminalReconciliationPrinted',
    'terminal',
    { ...COUNT, createdDateTime: '2026-11-20T21:00:00' },
    { ...COUNT, createdDateTime: '2026-12-01T21:00:00', amount: 75 },
  ],
  [
    'a store numbers its invoices anew each year',
    'InvoiceCreated',
    'invoice',
    { ...INVOICE, invoiceDate: '2026-11-20' },
    { ...INVOICE, invoiceDate: '2027-01-20' },
  ],
  [
    'each gift card counts what happened with it',
    'GiftCardTransactionCreated',
    'giftCard',
    { ...CARD, createdDateTime: '2026-11-20T14:00:00' },
    { ...CARD, giftCardId: 8, amount: -40, createdDateTime: '2026-11-20T15:00:00' },
  ],
  [
    'a transfer is received in two parts',
    'ProductTransferReceived',
    'transfer',
    { ...TRANSFER, receivedDateTime: '2026-11-21T10:00:00', products: received(4) },
    { ...TRANSFER, receivedDateTime: '2026-11-22T10:00:00', products: received(6) },
  ],
  [
    'more is kept under one reservation',
    'StockReservationCreated',
    'reservation',
    { ...RESERVED, quantity: 1 },
    { ...RESERVED, quantity: 3 },
  ],
] as const

for (const [name, kind, record, first, second] of RETRY_AFTER_MS)
  test(`When ${name}, then the second is held for a person, and is booked once they say so`, async () => {
    await using erp = await openErp()
    await erp.tell(kind, [first])
    expect(await erp.booked(record)).toHaveLength(1)
    // The same facts in other bytes, as when they are sent again.
    await erp.tell(kind, [{ ...first, sentAgain: 1 }, second, { ...second, sentAgain: 1 }, { ...first, sentAgain: 2 }])

    const [one, ...others] = await heldOf(erp)
    expect(one).toMatchObject({ code: 'perhaps-booked', why: expect.stringContaining('event 1 was booked under') })
    expect(others).toEqual([])
    await erp.hub.admin('deliveries/release', { filter: { id: one?.id }, reason: 'it is another one' })
    await eventually(async () => expect(await erp.booked(record)).toHaveLength(2))
  })

test('When nothing is left of what the first said, then the next under its number is held, too', async () => {
  await using erp = await openErp()
  const [, kind, record, first, second] = RETRY_AFTER_MS[1]
  await erp.tell(kind, [first])
  expect(await erp.booked(record)).toHaveLength(1)
  await erp.hub.hub.storage.dropPayloads([1])
  await erp.tell(kind, [second])
  expect(await heldOf(erp)).toMatchObject([{ code: 'perhaps-booked' }])
})

async function heldOf({ hub }: Erp) {
  return await eventually(async () => {
    const held = await hub.hub.storage.deliveries({ state: 'held' })
    return held.length > 0 && held
  })
}
