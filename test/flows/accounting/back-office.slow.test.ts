import { describe, expect, test } from 'vitest'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import { onlyIn } from '../../dialect.ts'
import { settlement } from '../../fixtures/payloads.ts'
import { deliveriesOf, keptIn } from '../../hub.ts'
import { comesAgain } from '../orders/online-given.ts'
import { type BookedStore, openBooked } from './books-given.ts'

const TEE = { sku: 'TEE-BLK-M', gtin: '7090012340011' }

/** What happened is told once more, by the names that it had and by new ones, and nothing more is booked. */
async function happensAgain(storage: BookedStore, kind: string): Promise<void> {
  const before = await storage.files()
  expect(keptIn(storage.hub).some((kept) => kept.kind === kind)).toBe(true)
  await comesAgain(storage, kind)
  await storage.quiet()
  expect(await storage.files()).toEqual(before)
}

describe('what an ERP is told of', () => {
  test('When POS sell, take back, and sell for the online store, then each sale is booked once', async () => {
    await using storage = await openBooked()
    const { actions } = storage.platform
    actions.sell({ store: '101', sku: TEE.sku, quantity: 2, payment: 'cash' })
    actions.returnGoods({ store: '101', sku: TEE.sku })
    actions.endlessAisle({ store: '101' })
    actions.importSale({ store: '101', sku: TEE.sku, orderNo: 'W-1' })
    await storage.quiet()
    const sales = await storage.booked<Bookings['bookSale']>('sale')
    expect(sales.map(({ external, storeNo }) => `${storeNo} ${external}`).sort()).toEqual([
      '101 false',
      '101 false',
      '101 false',
      '101 true',
    ])
    const quantities = sales.flatMap(({ sale }) => sale.lines.map(({ quantity }) => quantity))
    expect(quantities).toContain('-1')
    for (const kind of ['SaleCreated', 'SaleExternalCreated', 'OmniChannelEndlessAisleOrderCreated'])
      await happensAgain(storage, kind)
  })

  onlyIn(['spec', 'facts'], 'the nearest public record of a gift card has no currency')(
    'When a sale is on invoice, and a gift card is sold and paid with, then both are booked',
    async () => {
      await using storage = await openBooked()
      const { actions } = storage.platform
      actions.sell({ store: '101', sku: TEE.sku, payment: 'invoice' })
      actions.sellGiftCard({ store: '101', amount: 600 })
      actions.sell({ store: '101', sku: TEE.sku, payment: 'giftcard' })
      await storage.quiet()
      const [invoice, ...others] = await storage.booked<Bookings['bookInvoice']>('invoice')
      expect(invoice).toMatchObject({
        storeNo: '101',
        invoice: { number: expect.any(String), amount: { currency: 'NOK' } },
      })
      expect(others).toEqual([])
      const cards = await storage.booked<Bookings['bookGiftCard']>('giftCard')
      expect(cards.map(({ transaction }) => Math.sign(Number(transaction.amount?.amount))).sort()).toEqual([-1, 1])
      await happensAgain(storage, 'InvoiceCreated')
      await happensAgain(storage, 'GiftCardTransactionCreated')
    },
  )

  test('When a delivery is received in parts, its cost is changed, and it is closed, then quantities are booked once', async () => {
    await using storage = await openBooked()
    const { actions } = storage.platform
    actions.announceDelivery({ stock: '101', sku: TEE.sku, quantity: 10, cost: 80, reference: 'PO-1' })
    await storage.quiet()
    expect(await storage.booked('received')).toEqual([])
    actions.receiveDelivery({ part: true })
    await storage.quiet()
    actions.changeDeliveryCost({ cost: 90 })
    await storage.quiet()
    actions.receiveDelivery()
    await storage.quiet()
    const received = await storage.booked<Bookings['bookReceived']>('received')
    expect(received.map(({ quantity }) => Number(quantity)).reduce((sum, one) => sum + one, 0)).toBe(10)
    expect(received[0]).toMatchObject({ storeNo: '101', delivery: { reference: 'PO-1' }, line: { gtin: TEE.gtin } })
    const costs = (await storage.booked<Bookings['bookCost']>('cost')).map(({ cost }) => cost.amount)
    expect(costs).toContain('90')
    expect(new Set(costs).size).toBe(costs.length)
    expect(await storage.booked<Bookings['bookDelivery']>('delivery')).toMatchObject([
      { delivery: { isCompleted: true } },
    ])
    for (const kind of ['DeliveryUpdated', 'DeliveryItemsReceived', 'DeliveryCompleted'])
      await happensAgain(storage, kind)
  })

  onlyIn(['spec', 'facts'], 'the nearest public record of a correction has no id')(
    'When goods are counted, corrected, sent to another store and come there, then each is booked with its movements',
    async () => {
      await using storage = await openBooked()
      const { actions } = storage.platform
      actions.countStock({ stock: '101', sku: TEE.sku, quantity: 40 })
      actions.adjustStock({ stock: '101', sku: TEE.sku, quantity: -2 })
      actions.createTransfer({ from: '101', to: '102', sku: TEE.sku, quantity: 3 })
      actions.receiveTransfer()
      actions.createTransfer({ from: '101', to: 'WEB', sku: TEE.sku })
      actions.receiveTransfer()
      await storage.quiet()
      expect(await storage.booked<Bookings['bookCount']>('count')).toMatchObject([
        { storeNo: '101', count: { items: [{ gtin: TEE.gtin, quantity: '40' }] } },
      ])
      expect(await storage.booked<Bookings['bookAdjustment']>('adjustment')).toHaveLength(1)
      const transfers = await storage.booked<Bookings['bookTransfer']>('transfer')
      expect(transfers.map(({ step, virtual }) => `${step} ${virtual}`).sort()).toEqual([
        'received false',
        'received true',
        'sent false',
        'sent true',
      ])
      const movements = await storage.booked<Bookings['bookMovement']>('movement')
      expect(new Set(movements.map(({ movement }) => movement.type))).toContain('Relocation')
      expect(new Set(movements.map(({ movement }) => movement.movementId)).size).toBe(movements.length)
      const moved = keptIn(storage.hub).filter(({ kind }) => kind === 'StockMovementCreated')
      expect(movements).toHaveLength(moved.length)
      for (const kind of [
        'StockCountReconciled',
        'StockAdjustmentCreated',
        'ProductTransferCreated',
        'StockMovementCreated',
      ])
        await happensAgain(storage, kind)
    },
  )

  onlyIn(['spec', 'facts'], 'the nearest public record of a transfer has no time')(
    'When an ERP is that of some stores, then it is told of goods that leave these, and that come there',
    async () => {
      const write = { transfer: { name: 'transfer-{key}', format: 'json' } }
      await using storage = await openBooked({ erp: { write, stores: ['101'] } })
      const { actions } = storage.platform
      for (const [from, to] of [
        ['101', '102'],
        ['102', '101'],
        ['102', '201'],
      ] as const) {
        actions.createTransfer({ from, to, sku: TEE.sku, quantity: 3 })
        actions.receiveTransfer()
      }
      await storage.quiet()
      const transfers = await storage.booked<Bookings['bookTransfer']>('transfer')
      const reported = transfers.map(
        ({ step, transfer: { fromStockId, toStockId } }) => `${fromStockId} ${toStockId} ${step}`,
      )
      expect(reported.sort()).toEqual(['12 13 sent', '13 12 received'])
    },
  )

  onlyIn(['spec', 'facts'], 'no end of a reservation has a time in the nearest public record')(
    'When goods are kept for somebody and let go, and terminals are counted, then that is booked',
    async () => {
      await using storage = await openBooked()
      const { actions } = storage.platform
      actions.reserveStock({ stock: '101', sku: TEE.sku })
      actions.releaseReservation()
      actions.sell({ store: '101', sku: TEE.sku })
      actions.printReconciliation({ store: '101' })
      await storage.quiet()
      expect((await storage.booked<Bookings['bookReservation']>('reservation')).map(({ step }) => step).sort()).toEqual(
        ['ended', 'made'],
      )
      expect(await storage.booked<Bookings['bookTerminal']>('terminal')).toHaveLength(2)
      await happensAgain(storage, 'StockReservationExpired')
      await happensAgain(storage, 'BankterminalReconciliationPrinted')
    },
  )
})

describe('settlements', () => {
  test('When a POS is settled, then what was pushed is read whole, and becomes a journal that balances', async () => {
    await using storage = await openBooked()
    const { actions } = storage.platform
    actions.sell({ store: '101', sku: TEE.sku, payment: 'cash' })
    actions.sell({ store: '101', sku: TEE.sku, payment: 'card' })
    actions.sellGiftCard({ store: '101', amount: 500, payment: 'card' })
    actions.closeDay({ store: '101' })
    await storage.quiet()
    const settled = await storage.booked<Bookings['bookSettlement']>('settlement')
    expect(settled.length).toBeGreaterThan(0)
    for (const { journal, settlement: of, storeNo } of settled) {
      expect(storeNo).toBe('101')
      expect(of.payments).not.toBeNull()
      expect(journal?.difference.amount).toBe('0')
    }
    await happensAgain(storage, 'POSSettlementCreated')
  })

  onlyIn(['facts', 'frontsystems-v2'], 'it writes the payload of a settlement itself, which spec does not show')(
    'When one does not balance, then it is held with the difference, until a person lets it go by name and reason',
    async () => {
      await using storage = await openBooked()
      const payments = [{ PaymentTypeId: '1', Type: 'Card', SubType: 'Visa', Currency: 'NOK', Amount: 18_263 }]
      const wrong = settlement({ netTotal: 14_600.4, vatTotal: 3_650.1, vatArea1: 3_650.1, PaymentTypes: payments })
      await storage.hub.post('POSSettlementCreated', wrong, { eventId: 'S-1' })
      await storage.quiet()
      const [held] = await deliveriesOf(storage.hub)
      expect(held).toMatchObject({ state: 'held', code: 'unbalanced' })
      expect(held?.why).toContain('debit is 12.50 NOK more than credit')
      expect(await storage.files()).toEqual([])

      const nameless = await storage.hub.admin('deliveries/release', { filter: { id: held?.id } })
      expect(nameless.status).toBe(400)
      await storage.hub.admin('deliveries/retry', { filter: { id: held?.id } })
      await storage.quiet()
      expect((await deliveriesOf(storage.hub))[0]).toMatchObject({ state: 'held' })
      const released = await storage.hub.admin(
        'deliveries/release',
        { filter: { id: held?.id }, reason: 'closed twice' },
        { 'x-operator': 'kari' },
      )
      expect(released.body).toMatchObject({ changed: 1 })
      await storage.quiet()
      const [booking] = await storage.booked<Bookings['bookSettlement']>('settlement')
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
  await using storage = await openBooked({ erp: { write, daily: { flows: ['book-sale'], closes: '03:00' } } })
  const { actions } = storage.platform
  for (const number of ['101', '101', '201']) actions.sell({ store: number, sku: TEE.sku })
  await storage.platform.settled()
  storage.clock.advance(60_000)
  expect(await storage.files()).toEqual([])
  storage.clock.advance(36 * 3_600_000)
  await storage.quiet()
  const first = await storage.files()
  const plain = (name: string) => name.replace(/\d{4}-\d\d-\d\d/, 'day').replace(/-[0-9a-f]{16}\./, '.')
  expect(first.map(plain)).toEqual(['sales-101-day.json', 'sales-201-day.json'])

  const [late] = keptIn(storage.hub).filter(({ kind }) => kind === 'SaleCreated')
  const payload = { ...JSON.parse(String(late?.body)), receiptNo: '990001' }
  await storage.hub.post('SaleCreated', payload, { eventId: 'late' })
  await storage.quiet()
  const names = (await storage.files()).filter((name) => !first.includes(name))
  expect(names.map(plain)).toEqual(['sales-101-day.json'])
})
