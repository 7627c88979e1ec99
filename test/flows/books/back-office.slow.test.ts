import { describe, expect, test } from 'vitest'
import type { Bookings } from '../../../src/domain/books/bookings.ts'
import { onlyIn } from '../../dialect.ts'
import { settlement } from '../../fixtures/payloads.ts'
import { deliveriesOf, keptIn } from '../../hub.ts'
import { comesAgain } from '../orders/online-given.ts'
import { type BookedStore, openBooked } from './books-given.ts'

const TEE = { sku: 'TEE-BLK-M', gtin: '7090012340011' }

/** What happened is told once more, by the names that it had and by new ones, and nothing more is booked. */
async function happensAgain(store: BookedStore, kind: string): Promise<void> {
  const before = await store.files()
  expect(keptIn(store.hub).some((kept) => kept.kind === kind)).toBe(true)
  await comesAgain(store, kind)
  await store.quiet()
  expect(await store.files()).toEqual(before)
}

describe('what an ERP is told of', () => {
  test('When tills sell, take back, and sell for the online store, then each sale is booked once', async () => {
    await using store = await openBooked()
    const { actions } = store.platform
    actions.sell({ store: '101', sku: TEE.sku, quantity: 2, payment: 'cash' })
    actions.returnGoods({ store: '101', sku: TEE.sku })
    actions.endlessAisle({ store: '101' })
    actions.importSale({ store: '101', sku: TEE.sku, orderNo: 'W-1' })
    await store.quiet()
    const sales = await store.booked<Bookings['bookSale']>('sale')
    expect(sales.map(({ external, storeNo }) => `${storeNo} ${external}`).sort()).toEqual([
      '101 false',
      '101 false',
      '101 false',
      '101 true',
    ])
    const quantities = sales.flatMap(({ sale }) => sale.lines.map(({ quantity }) => quantity))
    expect(quantities).toContain('-1')
    for (const kind of ['SaleCreated', 'SaleExternalCreated', 'OmniChannelEndlessAisleOrderCreated'])
      await happensAgain(store, kind)
  })

  onlyIn(['spec', 'facts'], 'the nearest public record of a gift card has no currency')(
    'When a sale is on invoice, and a gift card is sold and paid with, then both are booked',
    async () => {
      await using store = await openBooked()
      const { actions } = store.platform
      actions.sell({ store: '101', sku: TEE.sku, payment: 'invoice' })
      actions.sellGiftCard({ store: '101', amount: 600 })
      actions.sell({ store: '101', sku: TEE.sku, payment: 'giftcard' })
      await store.quiet()
      const [invoice, ...others] = await store.booked<Bookings['bookInvoice']>('invoice')
      expect(invoice).toMatchObject({
        storeNo: '101',
        invoice: { number: expect.any(String), amount: { currency: 'NOK' } },
      })
      expect(others).toEqual([])
      const cards = await store.booked<Bookings['bookGiftCard']>('giftCard')
      expect(cards.map(({ transaction }) => Math.sign(Number(transaction.amount?.amount))).sort()).toEqual([-1, 1])
      await happensAgain(store, 'InvoiceCreated')
      await happensAgain(store, 'GiftCardTransactionCreated')
    },
  )

  test('When a delivery is received in parts, its cost is changed, and it is closed, then quantities are booked once', async () => {
    await using store = await openBooked()
    const { actions } = store.platform
    actions.announceDelivery({ stock: '101', sku: TEE.sku, quantity: 10, cost: 80, reference: 'PO-1' })
    await store.quiet()
    expect(await store.booked('received')).toEqual([])
    actions.receiveDelivery({ part: true })
    await store.quiet()
    actions.changeDeliveryCost({ cost: 90 })
    await store.quiet()
    actions.receiveDelivery()
    await store.quiet()
    const received = await store.booked<Bookings['bookReceived']>('received')
    expect(received.map(({ quantity }) => Number(quantity)).reduce((sum, one) => sum + one, 0)).toBe(10)
    expect(received[0]).toMatchObject({ storeNo: '101', delivery: { reference: 'PO-1' }, line: { gtin: TEE.gtin } })
    const costs = (await store.booked<Bookings['bookCost']>('cost')).map(({ cost }) => cost.amount)
    expect(costs).toContain('90')
    expect(new Set(costs).size).toBe(costs.length)
    expect(await store.booked<Bookings['bookDelivery']>('delivery')).toMatchObject([
      { delivery: { isCompleted: true } },
    ])
    for (const kind of ['DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted'])
      await happensAgain(store, kind)
  })

  onlyIn(['spec', 'facts'], 'the nearest public record of a correction has no id')(
    'When goods are counted, corrected, sent to another store and come there, then each is booked with its movements',
    async () => {
      await using store = await openBooked()
      const { actions } = store.platform
      actions.countStock({ stock: '101', sku: TEE.sku, quantity: 40 })
      actions.adjustStock({ stock: '101', sku: TEE.sku, quantity: -2 })
      actions.createTransfer({ from: '101', to: '102', sku: TEE.sku, quantity: 3 })
      actions.receiveTransfer()
      actions.createTransfer({ from: '101', to: 'WEB', sku: TEE.sku })
      actions.receiveTransfer()
      await store.quiet()
      expect(await store.booked<Bookings['bookCount']>('count')).toMatchObject([
        { storeNo: '101', count: { items: [{ gtin: TEE.gtin, quantity: '40' }] } },
      ])
      expect(await store.booked<Bookings['bookAdjustment']>('adjustment')).toHaveLength(1)
      const transfers = await store.booked<Bookings['bookTransfer']>('transfer')
      expect(transfers.map(({ step, virtual }) => `${step} ${virtual}`).sort()).toEqual([
        'received false',
        'received true',
        'sent false',
        'sent true',
      ])
      const movements = await store.booked<Bookings['bookMovement']>('movement')
      expect(new Set(movements.map(({ movement }) => movement.type))).toContain('Relocation')
      expect(new Set(movements.map(({ movement }) => movement.movementId)).size).toBe(movements.length)
      const moved = keptIn(store.hub).filter(({ kind }) => kind === 'StockMovementCreated')
      expect(movements).toHaveLength(moved.length)
      for (const kind of [
        'StockCountReconciled',
        'StockAdjustmentCreated',
        'ProductTransferCreated',
        'StockMovementCreated',
      ])
        await happensAgain(store, kind)
    },
  )

  onlyIn(['spec', 'facts'], 'the nearest public record of a transfer has no time')(
    'When an ERP is that of some stores, then it is told of goods that leave these, and that come there',
    async () => {
      const write = { transfer: { name: 'transfer-{key}', format: 'json' } }
      await using store = await openBooked({ erp: { write, stores: ['101'] } })
      const { actions } = store.platform
      for (const [from, to] of [
        ['101', '102'],
        ['102', '101'],
        ['102', '201'],
      ] as const) {
        actions.createTransfer({ from, to, sku: TEE.sku, quantity: 3 })
        actions.receiveTransfer()
      }
      await store.quiet()
      const transfers = await store.booked<Bookings['bookTransfer']>('transfer')
      const told = transfers.map(
        ({ step, transfer: { fromStockId, toStockId } }) => `${fromStockId} ${toStockId} ${step}`,
      )
      expect(told.sort()).toEqual(['12 13 sent', '13 12 received'])
    },
  )

  onlyIn(['spec', 'facts'], 'no end of a reservation has a time in the nearest public record')(
    'When goods are kept for somebody and let go, and terminals are counted, then that is booked',
    async () => {
      await using store = await openBooked()
      const { actions } = store.platform
      actions.reserveStock({ stock: '101', sku: TEE.sku })
      actions.releaseReservation()
      actions.sell({ store: '101', sku: TEE.sku })
      actions.printReconciliation({ store: '101' })
      await store.quiet()
      expect((await store.booked<Bookings['bookReservation']>('reservation')).map(({ step }) => step).sort()).toEqual([
        'ended',
        'made',
      ])
      expect(await store.booked<Bookings['bookTerminal']>('terminal')).toHaveLength(2)
      await happensAgain(store, 'StockReservationExpired')
      await happensAgain(store, 'BankterminalReconciliationPrinted')
    },
  )
})

describe('settlements', () => {
  test('When a till is settled, then what was pushed is read whole, and becomes a journal that balances', async () => {
    await using store = await openBooked()
    const { actions } = store.platform
    actions.sell({ store: '101', sku: TEE.sku, payment: 'cash' })
    actions.sell({ store: '101', sku: TEE.sku, payment: 'card' })
    actions.sellGiftCard({ store: '101', amount: 500, payment: 'card' })
    actions.closeDay({ store: '101' })
    await store.quiet()
    const settled = await store.booked<Bookings['bookSettlement']>('settlement')
    expect(settled.length).toBeGreaterThan(0)
    for (const { journal, settlement: of, storeNo } of settled) {
      expect(storeNo).toBe('101')
      expect(of.payments).not.toBeNull()
      expect(journal?.difference.amount).toBe('0')
    }
    await happensAgain(store, 'POSSettlementCreated')
  })

  onlyIn(['facts', 'frontsystems-v2'], 'it writes the payload of a settlement itself, which spec does not show')(
    'When one does not balance, then it is held with the difference, until a person lets it go by name and reason',
    async () => {
      await using store = await openBooked()
      const payments = [{ PaymentTypeId: '1', Type: 'Card', SubType: 'Visa', Currency: 'NOK', Amount: 18_263 }]
      const wrong = settlement({ netTotal: 14_600.4, vatTotal: 3_650.1, vatArea1: 3_650.1, PaymentTypes: payments })
      await store.hub.post('POSSettlementCreated', wrong, { eventId: 'S-1' })
      await store.quiet()
      const [held] = await deliveriesOf(store.hub)
      expect(held).toMatchObject({ state: 'held', code: 'unbalanced' })
      expect(held?.why).toContain('debit is 12.50 NOK more than credit')
      expect(await store.files()).toEqual([])

      const nameless = await store.hub.admin('deliveries/release', { filter: { id: held?.id } })
      expect(nameless.status).toBe(400)
      await store.hub.admin('deliveries/retry', { filter: { id: held?.id } })
      await store.quiet()
      expect((await deliveriesOf(store.hub))[0]).toMatchObject({ state: 'held' })
      const released = await store.hub.admin(
        'deliveries/release',
        { filter: { id: held?.id }, reason: 'closed twice' },
        { 'x-operator': 'kari' },
      )
      expect(released.body).toMatchObject({ changed: 1 })
      await store.quiet()
      const [booking] = await store.booked<Bookings['bookSettlement']>('settlement')
      expect(booking?.released).toEqual({ by: 'admin (says kari)', reason: 'closed twice' })
      expect(booking?.journal?.difference.amount).toBe('0')
      expect(booking?.journal?.lines).toContainEqual(
        expect.objectContaining({
          account: '1999',
          text: expect.stringContaining('kari'),
          amount: { amount: '-12.5', currency: 'NOK' },
        }),
      )
    },
  )
})

test('When an ERP takes a day at a time, then nothing comes before the day has closed, and what is late comes behind', async () => {
  const write = { sale: { name: 'sales-{store}-{day}', format: 'json' } }
  await using store = await openBooked({ erp: { write, daily: { flows: ['book-sale'], closes: '03:00' } } })
  const { actions } = store.platform
  for (const number of ['101', '101', '201']) actions.sell({ store: number, sku: TEE.sku })
  await store.platform.settled()
  store.clock.advance(60_000)
  expect(await store.files()).toEqual([])
  store.clock.advance(36 * 3_600_000)
  await store.quiet()
  const first = await store.files()
  const plain = (name: string) => name.replace(/\d{4}-\d\d-\d\d/, 'day').replace(/-[0-9a-f]{16}\./, '.')
  expect(first.map(plain)).toEqual(['sales-101-day.json', 'sales-201-day.json'])

  const [late] = keptIn(store.hub).filter(({ kind }) => kind === 'SaleCreated')
  const payload = { ...JSON.parse(String(late?.body)), receiptNo: '990001' }
  await store.hub.post('SaleCreated', payload, { eventId: 'late' })
  await store.quiet()
  const names = (await store.files()).filter((name) => !first.includes(name))
  expect(names.map(plain)).toEqual(['sales-101-day.json'])
})
