import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { inEveryDialect } from './dialect-given.ts'

/*
 * The central stories with a platform that was not made to please the hub: to the letter of the specification, as the public facts
 * have it, and strict as the public documentation. What cannot be known is held, and never guessed.
 */

const JACKET = {
  ...{ extId: '4000-BLUE', createProductSpecificSize: true, name: 'Rain jacket', number: '4000', variant: 'BLUE' },
  ...{ groupName: 'Jackets', season: 'AW26', color: 'Blue', brand: 'Nordlys', price: '1299.50' },
  productSizes: [{ gtin: '7090000004000', label: 'M', externalSKU: 'RAIN-M' }],
}

inEveryDialect((dialect, opened) => {
  test('When goods are sold, then the sale is booked once, and an endless aisle order is an order in the shop', async () => {
    const { platform, shop } = opened()
    platform.actions.sell({ store: '101', sku: 'TEE-BLK-M' })
    platform.actions.endlessAisle({ store: '101', sku: 'JUMPER-GRN-S' })
    await opened().quiet()
    const did = platform.posLog().filter(({ what }) => what === 'sale' || what === 'endless-aisle')
    const booked = await opened().booked<{ sale: { receiptNo: string } }>('sale')
    expect(booked.map(({ sale }) => sale.receiptNo).sort()).toEqual(did.map(({ receiptNo }) => receiptNo).sort())
    const refs = did.filter(({ what }) => what === 'endless-aisle').map(({ txRef }) => txRef)
    expect(shop.orders().map(({ transactionId }) => transactionId)).toEqual(refs)
  })

  test('When an online order is submitted, picked, collected and brought back, then the customer pays once and is paid back once', async () => {
    const { platform, shop } = opened()
    const placed = await shop.placeOrder({
      lines: [{ sku: 'TEE-BLK-M', quantity: 2 }],
      shipping: { method: 'pickup_location', location: 'Oslo City' },
    })
    const orderNo = placed.number
    await eventually(() => platform.onlineOrders().some(({ body }) => body.orderNo === orderNo))
    // The hub has the platform's answer, or has seen that there is none to have.
    await opened().quiet()
    expect(await opened().rows('flow=submit-order')).toMatchObject([{ state: 'delivered' }])
    platform.actions.pickOrder({ orderNo })
    await opened().quiet()
    platform.actions.collectOrder({ orderNo })
    await opened().quiet()
    platform.actions.returnOrder({ orderNo, quantity: 1, isRefunded: false })
    await opened().quiet()
    const order = shop.orders().find(({ number }) => number === orderNo)
    expect(order).toMatchObject({ status: 'completed', refunds: [{ paidBack: true, lines: [{ quantity: 1 }] }] })
    const dead = await opened().rows('state=dead')
    expect(dead).toEqual([])
  })

  test('When goods of the web stock move, then the shop is told the level that the platform has', async () => {
    const { platform, shop, hub } = opened()
    platform.actions.adjustStock({ stock: 'WEB', sku: 'SOCKS-GRY', quantity: 5, reason: 'Found' })
    await opened().quiet()
    await hub.admin('jobs/stock-levels/run', {})
    await opened().quiet()
    const [moved] = platform
      .events()
      .filter(({ kind }) => kind === 'StockMovementCreated')
      .slice(-1)
    expect(moved).toBeDefined()
    await eventually(() => (shop.products().find(({ sku }) => sku === 'SOCKS-GRY')?.stock ?? 0) >= 5)
  })

  test('When sales lines are pulled, then they come, also from a platform that has the named columns and no other', async () => {
    const { platform, hub } = opened()
    platform.actions.sell({ store: '201', sku: 'TEE-BLK-M' })
    await opened().quiet()
    const { body } = await hub.admin<{ note: string; problem: string | null }>('jobs/sales-lines/run', {})
    expect(body.problem).toBeNull()
    expect(body.note).toMatch(/[1-9]\d* lines/)
    await opened().quiet()
  })

  test('When a POS is settled, then the settlement is booked once: as it is told, or as it is pulled when nobody can read that', async () => {
    const { platform, hub, clock } = opened()
    platform.actions.sell({ store: '102', sku: 'TEE-BLK-M', payment: 'cash' })
    const [settled] = platform.closeDay('102')
    await opened().quiet()
    const ids = async () =>
      (await opened().booked<{ settlement: { settlementId: string } }>('settlement')).map(
        ({ settlement }) => settlement.settlementId,
      )
    if (dialect === 'spec') {
      expect(await ids()).toEqual([])
      const { body } = await hub.admin<{ events: { kind: string }[] }>('events?state=quarantined')
      expect(body.events.map(({ kind }) => kind)).toContain('POSSettlementCreated')
      clock.advance(30 * 3_600_000)
      await hub.admin('jobs/settlements/run', {})
      await opened().quiet()
    }
    expect(await ids()).toEqual([String(settled?.SETTLEMENTID)])
  })

  test('When webhooks are lost, then they come again: the hub sees to it, or says that it cannot', async () => {
    const { platform, hub } = opened()
    platform.faults.next('drop', 'drop')
    const { receiptNo } = platform.actions.sell({ store: '103', sku: 'TEE-BLK-M' })
    await platform.settled()
    const lost = platform.failed()
    expect(lost).toBeGreaterThan(0)
    const { body } = await hub.admin<{ problem: string | null }>('jobs/resend-failed/run', {})
    if (dialect === 'spec') {
      expect(JSON.stringify(body)).toContain('off: the platform shows no list of subscriptions, and answered no id')
      expect(platform.failed()).toBe(lost)
      await platform.sendFailedAgain()
    }
    // What the hub answered with 202 is no failure, in whichever words the log has it.
    expect(JSON.stringify(body)).not.toContain('already received')
    // On a busy machine the answer may come before all are sent again.
    await eventually(() => expect(platform.failed()).toBe(0))
    await platform.settled()
    await opened().quiet()
    const booked = await opened().booked<{ storeNo: string; sale: { receiptNo: string } }>('sale')
    const mine = booked.filter(({ storeNo, sale }) => storeNo === '103' && sale.receiptNo === receiptNo)
    expect(mine).toHaveLength(1)
  })

  test('When products and prices are submitted, then the platform has them, by whichever way it shows', async () => {
    const { platform } = opened()
    await opened().submit('products', JACKET)
    await opened().submit('prices', { list: 'Retail NOK', productExtId: JACKET.extId, price: '1199' })
    await opened().submit('cost-prices', { currency: 'NOK', gtin: '7090012340011', price: '120.50' })
    const delivered = await opened().rows('destination=platform')
    expect(delivered.filter(({ state }) => state !== 'delivered')).toEqual([])
    // Its text comes later, from a system that knows it by its extId alone.
    const text = { description: 'Keeps the rain out.', images: ['https://img.example/1.jpg'] }
    const reported = await opened().submit(`products/${JACKET.extId}`, text, 'PATCH')
    expect(reported).toMatchObject([{ flow: 'save-product-text', state: 'delivered' }])
    expect(platform.product(JACKET.extId)).toMatchObject(text)
    // Whoever has it can sell it.
    const [line] = JACKET.productSizes
    expect(platform.actions.sell({ store: '101', sku: line?.gtin ?? '' })).toMatchObject({
      receiptNo: expect.anything(),
    })
  })

  test('When everything was played, then what is held is what nobody shows, and nothing is dead', async () => {
    const { platform } = opened()
    platform.actions.reserveStock({ stock: '103', sku: 'TEE-BLK-M' })
    platform.actions.expireReservation()
    await opened().quiet()
    const held = await opened().rows('state=held')
    const kinds = [...new Set(held.map(({ kind }) => kind))].sort()
    // The nearest records of the public documentation: a correction has no id, and no end of a reservation has a time.
    const unreadable = dialect === 'frontsystems-v2' ? ['StockAdjustmentCreated', 'StockReservationExpired'] : []
    expect(kinds.filter((kind) => platform.isShown(kind))).toEqual(unreadable)
    if (dialect === 'spec')
      expect(kinds).toEqual(expect.arrayContaining(['StockReservationCreated', 'StockReservationExpired']))
    expect(await opened().rows('state=dead')).toEqual([])
  })
})
