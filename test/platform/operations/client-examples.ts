import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'
import type { Platform } from '../../../src/platform/platform.ts'

/*
 * The examples of docs/platform-client.md: what stands between the two marks of each is shown there, letter by letter, and
 * client-docs.test.ts runs every one of them against the sandbox.
 */

export interface Values {
  baseUrl: string
  apiKey: string
  subscriptionKey: string
  gtin: string
  log: (...said: unknown[]) => void
}

type Example = (platform: Platform, values: Values) => Promise<void>

export const EXAMPLES: Readonly<Record<string, Example>> = {
  async connect(_, { baseUrl, apiKey, subscriptionKey, log }) {
    // <connect>
    await using platform = createPlatform({ preset: 'spec', baseUrl, apiKey, subscriptionKey, rate: { perSecond: 20 } })
    const stores = (await platform.stores.list()).rows
    log(stores.map(({ storeId, stockId, name, zone }) => `${storeId}: ${name}, stock ${stockId}, ${zone}`))
    // </connect>
  },

  async overrides(_, { baseUrl, apiKey, subscriptionKey }) {
    // <overrides>
    await using platform = createPlatform({
      preset: 'frontsystems-v2',
      baseUrl,
      apiKey,
      subscriptionKey,
      endpoints: {
        'sales.import': { time: 'utc' },
        'orders.create': { headers: { 'x-api-key': 'apiKey', 'X-StoreId': 'storeId' }, decimals: 'text' },
        'products.search': { timeout: 120_000 },
      },
    })
    // </overrides>
    await platform.stores.list()
  },

  async products(platform, { log }) {
    // <products>
    const jacket = {
      extId: 'J-1001-RED',
      createProductSpecificSize: true,
      name: 'Rain jacket',
      number: 'J-1001',
      variant: 'RED',
      brand: 'Nordlys',
      groupName: 'Jackets',
      season: 'BASIC',
      color: 'Red',
      price: '1399.50',
      productSizes: [{ gtin: '7090000000015', externalSKU: 'J-1001-RED-M', label: 'M', labelSortIndex: '1' }],
    }
    const saved = await platform.products.save(jacket)
    await platform.products.update({ extId: 'J-1001-RED' }, { description: 'Keeps the rain out.' })
    const found = await platform.products.byGtin('7090000000015')
    log(saved?.productId === found?.productId, found?.price) // true 1399.5
    // </products>
  },

  async bulk(platform, { log }) {
    const everyProduct = [{ extId: 'B-1', name: 'Belt', brand: 'N', groupName: 'Belts', season: 'BASIC', color: 'Red' }]
    // <bulk>
    for await (const part of platform.products.bulkUpsert(everyProduct)) {
      log(`${part.created} created, ${part.updated} updated`)
      for (const { index, extId, status, errors, retry } of part.items)
        if (status === 'failed') log(`${index} (${extId}): ${Object.values(errors)}${retry ? ', send it again' : ''}`)
    }
    for await (const product of platform.products.search({ changedSince: Date.now() - 86_400_000 }))
      log(product.productId, product.name)
    // </bulk>
  },

  async prices(platform, { gtin }) {
    // <prices>
    await platform.prices.saveList({
      name: 'Norway',
      prices: [{ gtin, price: '1399.50', validFrom: Date.UTC(2026, 10, 27), validTo: '2026-12-24T23:59:59Z' }],
    })
    await platform.prices.saveCosts({ currency: 'NOK', costPrices: [{ gtin, price: '559.80' }] })
    // </prices>
  },

  async stock(platform, { gtin, log }) {
    // <stock>
    const levels = (await platform.stock.levels({ stockIds: ['12'] })).rows
    log(levels.find(({ id }) => id === gtin)?.quantity)
    await platform.stock.adjust({ stockId: '12', description: 'Online stock', items: [{ gtin, quantity: '7' }] })
    // </stock>
  },

  async deliveries(platform, { gtin, log }) {
    // <deliveries>
    const orderId = await platform.deliveries.create({
      extRef: 'PO-4500017',
      stockId: '12',
      storeId: '42',
      expectedDeliveryDate: '2026-12-01',
      insertAsConfirmed: true, // staff must still receive it
      requestId: '8c1f3f5e-51f2-4b6e-9a3d-0f6f5b1f7a10',
      orderLines: [{ gtin, qty: '3', cost: '559.80' }],
    })
    const [delivery] = (await platform.deliveries.list('12')).rows.filter((each) => each.orderId === orderId)
    log(delivery?.receivedQuantity, delivery?.completed)
    // </deliveries>
  },

  async customers(platform, { log }) {
    // <customers>
    const customerId = await platform.customers.obtain({
      extId: 'C-20417',
      firstName: 'Liv',
      lastName: 'Dahl',
      email: 'liv.dahl@example.com',
      phone: '99887766',
      phoneCountryPrefix: '47',
    })
    for await (const customer of platform.customers.search({ phone: '+47 998 87 766' }))
      log(customer.customerId === customerId, customer.extId) // true C-20417
    // </customers>
  },

  async sales(platform, { gtin, log }) {
    const customerId = await platform.customers.obtain({ extId: 'C-20417' })
    // <sales>
    const saleId = await platform.sales.import(
      {
        saleGuid: '5a1f0b52-7a43-4f0e-9b39-0d6a6c2f7b11', // keep it: the same order has the same one
        extRef: 'W-1001',
        customerId,
        saleDateTime: Date.UTC(2026, 10, 20, 3),
        lines: [{ gtin, price: '199.95', quantity: '2', stockId: '-1' }], // -1: no stock changes
        payments: [{ amount: '399.90', type: 99 }],
      },
      { storeId: '42' },
    )
    log(saleId)
    // </sales>
  },

  async orders(platform, { gtin, log }) {
    // <orders>
    const store = { storeId: '42', stockId: '12' }
    const order = {
      orderNo: 'W-1002',
      reservationLengthInHours: 48,
      customer: { firstName: 'Liv', email: 'liv.dahl@example.com', phone: '99887766', phoneCountryCode: '47' },
      lines: [{ gtin, price: '199.95', quantity: '2' }],
      payments: [{ amount: '399.90', currency: 'NOK', type: 'Card' }], // none: it is paid in the store
      saleDateTime: Date.now(),
    } // without shippingAddress it is fetched in the store
    await platform.orders.create(order, store)
    const there = await platform.orders.read('W-1002')
    log(there?.status, there?.fulfillment?.stockName) // UnHandled Oslo City
    if (!there && !(await platform.operations.isProven('orders.read'))) log('It may have no such endpoint.')
    await platform.orders.delete('W-1002')
    // </orders>
  },

  async goods(platform, { gtin, log }) {
    const list = await platform.prices.saveList({ name: 'Autumn', prices: [{ gtin, price: '999' }] })
    await platform.products.save({
      ...{
        extId: 'J-0999-RED',
        createProductSpecificSize: true,
        name: 'Jacket',
        brand: 'Nordlys',
        groupName: 'Jackets',
      },
      ...{ season: 'BASIC', color: 'Red', productSizes: [] },
    })
    // <goods>
    for (const { stockId, name } of (await platform.stocks.list()).rows) log(stockId, name)

    const moved = { extRef: 'T-88', fromStockId: '12', storeId: '42', toStockId: '13', received: false }
    await platform.transfers.create({ ...moved, lines: [{ gtin, qty: '2' }] }) // staff of stock 13 receive it
    await platform.corrections.create({ extRef: 'C-9', stockId: '12', storeId: '42', lines: [{ gtin, qty: '-1' }] })

    const [kept] = await platform.reservations.create({ stockId: '12', extId: 'W-7', lines: [{ gtin, quantity: '1' }] })
    if (kept) await platform.reservations.release(kept.id)

    const listId = list?.id ?? ''
    for (const { price, validTo } of (await platform.listedPrices.read(listId, { gtin })).rows) log(price, validTo)
    await platform.listedPrices.delete(listId, { gtin }) // every price that the product has there

    const [count] = (await platform.counts.list({ number: 1 })).rows
    log(count?.countedAt, (await platform.listedPrices.byGtin(gtin)).costs.rows.length)
    await platform.productRemovals.delete({ extId: 'J-0999-RED' })
    log(await platform.freight.read()) // FREIGHT
    // </goods>
  },

  async settlements(platform, { log }) {
    // <settlements>
    for (const settlement of (await platform.settlements.list({ day: '2026-11-20' })).rows)
      log(settlement.posName, settlement.grandTotal, settlement.payments?.length)
    // </settlements>
  },

  async odata(platform, { log }) {
    // <odata>
    for await (const window of platform.salesLines.list({ from: '2026-10-01', to: '2026-11-20', store: '42' })) {
      if (window.suspect) log('nothing was sold, or the platform is in trouble:', window.daysWithoutRows)
      for (const { soldAt, gtin, quantity, unitPrice } of window.rows) log(soldAt, gtin, quantity, unitPrice)
    }
    for await (const { rows } of platform.stockMovements.list({ from: '2026-11-01', to: '2026-11-20', stock: '12' }))
      log(rows.length)
    const { rows: levels } = await platform.stockStatus.list({ at: '2026-11-20 23:00:00' })
    log(levels.length)
    // </odata>
  },

  async webhooks(platform, { log }) {
    // <webhooks>
    const url = 'https://hub.example.com/webhooks/SaleCreated?token=…'
    await platform.webhooks.create({ event: 'SaleCreated', url })
    const mine = (await platform.webhooks.list()).rows.filter((subscription) => subscription.url === url)
    for (const { id: webhookId } of mine) {
      const lost = { webhookId, from: Date.now() - 7 * 86_400_000, to: Date.now(), success: false }
      for (const { webhookEventId, statusCode } of (await platform.events.list(lost)).rows) {
        const event = await platform.events.get({ webhookId, webhookEventId })
        log(webhookEventId, statusCode, event?.payload)
        await platform.events.resend({ webhookId, webhookEventId })
      }
    }
    for (const { id } of mine) await platform.webhooks.delete(id)
    // </webhooks>
  },

  async errors(platform, { gtin, log }) {
    // <errors>
    try {
      await platform.stock.adjust({ stockId: '999', items: [{ gtin, quantity: '1' }] })
    } catch (error) {
      if (error instanceof PermanentError) log('it will never work like this:', error.code, error.message)
      else if (error instanceof RetryLaterError) log(`later (${error.scope}), not before`, error.notBefore)
      else if (error instanceof UnknownOutcomeError) log('it was sent; ask before sending it again:', error.message)
      else throw error
    }
    // </errors>
  },
}
