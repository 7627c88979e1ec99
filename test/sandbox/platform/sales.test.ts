import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { ASSORTMENT, type SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, HEADERS, startReceiver, subscribe } from './given.ts'

const NOON = Date.parse('2026-11-20T12:00:00.250Z')

describe('settlements', () => {
  test('When a store closes its day, then each till has a settlement of what it sold, VAT and receipts included', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    for (let sale = 0; sale < 8; sale++)
      platform.till.sell({ store: '101', lines: [{ sku: 'TEE-BLK-M', quantity: 2 }] })
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE' }] })
    platform.till.sell({ store: '101', lines: [{ sku: 'COFFEE', quantity: -1 }] })
    platform.closeDay('101')

    const settlements = await get(platform, '/api/possettlement').query({ date: '2026-11-20' })
    const sold = platform.ledger().filter(({ what }) => what === 'sale')
    for (const settlement of settlements.body) {
      const here = sold.filter(({ posId }) => posId === settlement.POSID)
      const numbers = here.map(({ receiptNo }) => Number(receiptNo))
      expect(settlement).toMatchObject({
        StoreNo: '101',
        Currency: 'NOK',
        ReceiptNoFrom: Math.min(...numbers),
        ReceiptNoTo: Math.max(...numbers),
        SettlementTimeStamp: '2026-11-20T13:00:00.25',
      })
      const total = here.reduce((sum, one) => sum + Number(one.total), 0)
      expect(settlement.GrandTotal).toBeCloseTo(total, 6)
      expect(settlement.GrossTotal - settlement.GrossDiscount).toBeCloseTo(total, 6)
      expect(settlement.NetTotal + settlement.VATTotal).toBeCloseTo(total, 6)
      expect(settlement.VATArea1 + settlement.VATArea2).toBeCloseTo(settlement.VATTotal, 6)
      expect(settlement.PaymentTypes).toMatchObject([{ Type: 'Card', SubType: 'Visa', Amount: settlement.GrandTotal }])
    }
    expect(settlements.body.map(({ POSID }: { POSID: number }) => POSID).sort()).toEqual([421, 422])
  })

  test('When a day was closed and nothing was sold since, then nothing more is settled; subscribers heard once', async () => {
    await using platform = await givenPlatform()
    await using receiver = await startReceiver()
    await subscribe(platform, 'POSSettlementCreated', receiver.url)
    platform.till.sell({ store: '201' })
    const [settlement] = platform.closeDay('201')
    expect(platform.closeDay('201')).toEqual([])
    platform.till.sell({ store: '201' })
    expect(platform.closeDay('201')).toHaveLength(1)
    await platform.settled()
    expect(receiver.bodies).toHaveLength(2)
    expect(receiver.bodies[0]).toMatchObject({ settlementId: settlement?.SETTLEMENTID, storeExtId: '201' })
    expect(() => platform.closeDay('999')).toThrow('There is no store 999')
  })

  test('When version 2 is asked, then it pages, keeps to a store, and has payment types only if told', async () => {
    await using platform = await givenPlatform({ now: () => NOON })
    for (const store of ['101', '102', '201']) {
      platform.till.sell({ store })
      platform.closeDay(store)
    }
    const day = { date: '2026-11-20' }
    const bergen = await get(platform, '/api/Possettlementv2').query({ ...day, storeId: 43, includePaymentTypes: true })
    expect(bergen.body).toMatchObject([{ StoreId: 43, BatchNumber: 1, PaymentTypes: [{ Type: 'Card' }] }])
    const last = await get(platform, '/api/Possettlementv2').query({ ...day, offset: 2, limit: 5 })
    expect(last.body).toMatchObject([{ StoreId: 51 }])
    expect(last.body[0]).not.toHaveProperty('PaymentTypes')
    expect((await get(platform, '/api/Possettlementv2').query({ date: '2026-11-19' })).body).toEqual([])
  })

  test.each([
    ['/api/possettlement?date=20.11.2026', 'date'],
    ['/api/Possettlementv2', 'date is required'],
    ['/api/Possettlementv2?date=2026-02-30', 'date is required'],
    ['/api/Possettlementv2?date=2026-11-20&limit=many', 'limit'],
  ])('When %s is asked, then it is refused', async (path, why) => {
    await using platform = await givenPlatform()
    const refused = await get(platform, path).expect(400)
    expect(refused.body.message).toContain(why)
  })
})

describe('importing a sale', () => {
  test('When an online order is imported, then it is a sale with an id, is told, and its stock goes down', async () => {
    await using platform = await givenPlatform()
    await using told = await startReceiver()
    await using moved = await startReceiver()
    await subscribe(platform, 'SaleExternalCreated', told.url)
    await subscribe(platform, 'StockMovementCreated', moved.url)
    const { body: saleId } = await put(platform, sale()).expect(200)
    expect(saleId).toEqual(expect.any(Number))
    await platform.settled()
    expect(told.bodies).toMatchObject([{ orderNo: 'W-1', total: 848, customer: { customerId: 4711 } }])
    expect(moved.bodies).toMatchObject([{ stockId: 12, gtin: line().identity, quantity: -2, type: 'Sale' }])
    expect(await rows(platform, 'Saleslines')).toMatchObject([
      { SALEID: saleId, STOREID_FK: 42, Qty: '2.00', Price: '349.00' },
      { SALEID: saleId, STOREID_FK: 42, Qty: '1.00', Price: '150.00' },
    ])
    expect(platform.closeDay('101')).toEqual([])
  })

  test('When the same saleGuid comes again, then it gets the same id, and nothing is sold twice', async () => {
    await using platform = await givenPlatform()
    await using told = await startReceiver()
    await subscribe(platform, 'SaleExternalCreated', told.url)
    const first = await put(platform, sale())
    const again = await put(platform, { ...sale(), saleGuid: sale().saleGuid.toUpperCase() })
    expect(again.body).toBe(first.body)
    expect((await put(platform, { ...sale(), saleGuid: '0b7d3a55-6f0e-4a7e-9d31-000000000002' })).body).not.toBe(
      first.body,
    )
    await platform.settled()
    expect(told.bodies).toHaveLength(2)
  })

  // Facts, §1d "price in salesLines".
  test('When goods are returned online, then quantity and payment are negative, and the stock goes up', async () => {
    await using platform = await givenPlatform()
    const salesLines = [{ ...line(), qty: -1 }]
    await put(platform, { ...sale(), salesLines, paymentLines: [{ amount: -349, paymentType: 99 }] }).expect(200)
    expect(await rows(platform, 'Stockmovements')).toMatchObject([{ EAN: line().identity, Qty: 1, Stockid: 12 }])
    expect(await rows(platform, 'Saleslines')).toMatchObject([{ Qty: '-1.00', Price: '349.00' }])
  })

  test('When fields are written in another case, or freight is sold, then that is fine', async () => {
    await using platform = await givenPlatform()
    const { body: freight } = await get(platform, '/api/Sale/freight').expect(200)
    const salesLines = [{ Identity: freight, Price: 49, QTY: 1, stockID: -1 }]
    await put(platform, { ...sale(), salesLines, paymentLines: [{ Amount: 49, PaymentType: 99 }] }).expect(200)
  })

  test.each([
    ['sums that differ', { paymentLines: [{ amount: 847.99, paymentType: 99 }] }, 'sum to 848'],
    ['a customer whom nobody knows', { customerID: 1 }, 'customerID 1'],
    ['a guid that is none', { saleGuid: 'W-1' }, 'saleGuid'],
    ['an article that nobody knows', { salesLines: [{ ...line(), price: 424, identity: '123' }] }, 'identity 123'],
    ['a stock that is none', { salesLines: [{ ...line(), price: 424, stockid: 99 }] }, 'stockid 99'],
    ['a payment type that is none', { paymentLines: [{ amount: 848, paymentType: 2 }] }, 'payment type'],
    ['no lines', { salesLines: [] }, 'salesLines'],
  ])('When a sale has %s, then it is refused, and nothing is kept', async (_, part, why) => {
    await using platform = await givenPlatform()
    const refused = await put(platform, { ...sale(), ...part }).expect(400)
    expect(refused.body.message).toContain(why)
    expect(await rows(platform, 'Saleslines')).toEqual([])
    expect(await rows(platform, 'Stockmovements')).toEqual([])
  })

  test.each([
    ['is missing', {}, 'X-StoreId is required'],
    ['is no store', { 'x-storeid': '7' }, 'X-StoreId 7'],
  ])('When the header X-StoreId %s, then the sale is refused', async (_, headers, why) => {
    await using platform = await givenPlatform()
    const refused = await request(platform.url)
      .put('/api/Sale')
      .set({ ...HEADERS, ...headers })
      .send(sale())
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(why) } })
  })
})

function line() {
  return { identity: ASSORTMENT[0]?.gtin ?? '', price: 349, qty: 2, stockid: 12 }
}

function sale() {
  return {
    saleGuid: '0b7d3a55-6f0e-4a7e-9d31-00000000000a',
    extRef: 'W-1',
    customerID: 4711,
    saleDateTime: new Date().toISOString(),
    salesLines: [line(), { identity: ASSORTMENT[4]?.gtin ?? '', price: 150, qty: 1, stockid: -1 }],
    paymentLines: [
      { amount: 800, paymentType: 10 },
      { amount: 48, paymentType: 5 },
    ],
  }
}

function get(platform: SandboxPlatform, path: string) {
  return request(platform.url).get(path).set(HEADERS)
}

async function rows(platform: SandboxPlatform, set: string): Promise<unknown[]> {
  const { body } = await get(platform, `/odata/${set}`).set('accept', 'application/json').expect(200)
  return body.value
}

function put(platform: SandboxPlatform, body: object) {
  return request(platform.url)
    .put('/api/sale')
    .set({ ...HEADERS, 'X-StoreId': '42' })
    .send(body)
}
