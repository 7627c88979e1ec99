import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { UNKNOWN_CUSTOMER } from '../../../src/domain/customers/customer-record.ts'
import { READ_SETS } from '../../../src/http/read-models/sets.ts'
import { eventually } from '../../eventually.ts'
import {
  customer,
  delivery,
  pulledSettlement,
  sale,
  saleLine,
  settlement,
  stockMovement,
  store,
} from '../../fixtures/payloads.ts'
import { type Item, openDesk, product, reservation, shareDesk, soldLine } from './given.ts'

const LOOKUPS = { customers: { tokens: ['a-token-of-a-pos-in-the-tests'], ask: ['directory'] } }
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const BUYER = {
  customerId: 5,
  customerExtId: 'C-9',
  email: 'Kari@Example.com',
  firstName: 'Kari',
  lastName: 'Nordmann',
  phoneCountryPrefix: '47',
  phone: '90012345',
  address: { address1: 'Storgata 1', city: 'Oslo', postalCode: '0155', countryCode: 'no' },
}

describe('what is pushed', () => {
  const desk = shareDesk({ config: { lookups: LOOKUPS } })

  /** The items of a set, when there are so many. */
  async function items(path: string, count = 1): Promise<Item[]> {
    return await eventually(async () => {
      const found = await desk().all(path)
      expect(found).toHaveLength(count)
      return found
    })
  }

  test('When a POS sells, then the sale is read, and its people only by who asks for them', async () => {
    await desk().hub.post('SaleCreated', sale({ customer: BUYER, orderLines: [saleLine({ quantity: 2, price: 698 })] }))
    const [found] = await items('sales')
    const known = {
      id: expect.stringMatching(/\S/),
      day: '2026-11-20',
      storeNo: '101',
      posId: '3',
      receiptNo: '1001',
      orderNo: null,
      external: false,
      soldAt: '2026-11-20T14:03:27',
      currency: 'NOK',
      total: '349',
      vatTotal: '69.8',
      shipsFromStockId: null,
      shipsFromStockName: null,
      payments: [{ type: 'Card', subType: 'Visa', amount: '349', tendered: '349', tenderedCurrency: 'NOK' }],
      lines: [
        expect.objectContaining({
          ...{ gtin: '7090012340011', sku: 'TEE-BLK-M', quantity: '2', vatRate: '0.25' },
          ...{ discount: '50', discountPercent: '0.1253', reasons: null, number: '10234', variant: '01' },
          ...{ group: 'Tops', season: 'AW26' },
        }),
      ],
      savedAt: ISO,
    }
    expect(found).toEqual(known)
    expect(JSON.stringify(found)).not.toMatch(/Ola|Kari|C-9|90012345|Storgata/)

    const [whole] = await items('sales?personal=true')
    expect(whole).toEqual({
      ...known,
      salesPerson: 'Ola',
      customerId: '5',
      customerNo: 'C-9',
      customerFirstName: 'Kari',
      customerLastName: 'Nordmann',
      customerCompany: null,
      customerEmail: 'Kari@Example.com',
      customerPhone: expect.stringContaining('90012345'),
      customerAddress: 'Storgata 1',
      customerPostalCode: '0155',
      customerCity: 'Oslo',
      customerCountryCode: 'NO',
    })
    const read = desk().hub.lines.filter(({ msg }) => msg === 'mirror.personal-read')
    expect(read).toMatchObject([{ system: 'bi', set: 'sales', key: expect.stringMatching(/^[0-9a-f]{16}$/) }])
  })

  test('When customers come, then without personal data their ids, country and postal code are read', async () => {
    await desk().hub.post('CustomerCreated', customer())
    const [found] = await eventually(async () => {
      const found = (await desk().all('customers')).filter(({ customerId }) => customerId === '4711')
      expect(found).toHaveLength(1)
      return found
    })
    const known = { id: expect.any(String), customerId: '4711', countryCode: 'NO', postalCode: '0155', savedAt: ISO }
    expect(found).toEqual(known)
    const whole = (await desk().all('customers?personal=true')).find(({ customerId }) => customerId === '4711')
    expect(whole).toEqual({
      ...known,
      extId: null,
      firstName: 'Kari',
      lastName: 'Nordmann',
      companyName: null,
      email: 'kari.nordmann@example.com',
      phone: '+4790012345',
      address: 'Storgata 1',
      city: 'Oslo',
    })
  })

  test('When a guest of a shop is known by his address, then nobody reads it who did not ask for personal data', async () => {
    const guest = { ...UNKNOWN_CUSTOMER, extId: 'shop:ola@example.com', countryCode: 'NO' }
    await desk().hub.hub.storage.saveCustomers([guest], Date.now())
    expect((await desk().get('customers?limit=1000')).text).not.toContain('ola@')
    expect((await desk().get('customers?limit=1000&personal=true')).text).toContain('"extId":"shop:ola@example.com"')
  })

  test('When goods move and are kept for orders, then stock says what is left', async () => {
    const { hub } = desk()
    await hub.post('StockMovementCreated', stockMovement({ stockLevel: 4.5 }))
    await hub.post('StockMovementCreated', stockMovement({ movementId: 48151624, stockId: 13, stockExtId: '201' }))
    for (const [id, quantity, stockId] of [
      ['R-1', 1, 12],
      ['R-2', 2.25, 12],
      ['R-3', 1, 13],
    ])
      await hub.post('StockReservationCreated', reservation({ id, quantity, stockId }))
    await hub.post('StockReservationExpired', reservation({ id: 'R-3', stockId: 13, status: 'Expired' }))
    await eventually(async () => {
      const kept = await desk().all('reservations')
      expect(kept.map(({ id, isOpen }) => [id, isOpen]).toSorted()).toEqual([
        ['R-1', true],
        ['R-2', true],
        ['R-3', false],
      ])
    })
    const levels = (await items('stock', 2)).sort((a, b) => String(a.id).localeCompare(String(b.id)))
    expect(levels).toEqual([
      {
        id: '12/7090012340011',
        stockId: '12',
        // Two stores share it.
        storeNo: null,
        gtin: '7090012340011',
        sku: 'TEE-BLK-M',
        level: '4.5',
        reserved: '3.25',
        available: '1.25',
        readAt: '2026-11-20T13:03:28.000Z',
        savedAt: ISO,
      },
      expect.objectContaining({ id: '13/7090012340011', storeNo: '201', level: '4', reserved: '0', available: '4' }),
    ])
    expect((await desk().lines('stock')).items).toEqual(expect.arrayContaining(levels))
    const [moved] = await items('movements?stock=12')
    expect(moved).toEqual({
      id: '48151623',
      stockId: '12',
      stockNo: '101',
      storeNo: null,
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      type: 'Sale',
      quantity: '-1',
      level: '4.5',
      day: '2026-11-20',
      at: '2026-11-20T14:03:28',
      savedAt: ISO,
    })
    const [first] = (await items('reservations?gtin=7090012340011', 2)).filter(({ id }) => id === 'R-1')
    expect(first).toEqual({
      id: 'R-1',
      stockId: '12',
      stockNo: '101',
      storeNo: null,
      gtin: '7090012340011',
      sku: 'TEE-BLK-M',
      quantity: '1',
      orderNo: 'A1',
      status: 'Created',
      isOpen: true,
      day: '2026-11-20',
      at: '2026-11-20T13:00:00',
      expiresAt: '2026-11-22T13:00:00',
      releasedAt: null,
      savedAt: ISO,
    })
  })

  test('When a POS is settled, then the settlement is read with what is in it', async () => {
    await desk().hub.post('POSSettlementCreated', settlement())
    const [thin] = await items('settlements')
    expect(thin).toMatchObject({ id: '3001', grandTotal: '18250.5', payments: null, vatArea1: null })
    const Withdrawals = [{ PaymentTypeId: 2, Type: 'Cash', SubType: 'Cash', Amount: -100 }]
    await desk().hub.post(
      'POSSettlementCreated',
      pulledSettlement({ SETTLEMENTID: 3002, StoreNo: undefined, StoreId: 43, Withdrawals }),
    )
    const [found] = (await items('settlements', 2)).filter(({ id }) => id === '3002')
    expect(found).toEqual({
      id: '3002',
      batchNumber: '2026-11-20-1',
      day: '2026-11-20',
      storeId: '43',
      storeNo: '201',
      storeInfo: 'Oslo City, Stenersgata 1',
      comment: null,
      storeName: 'Oslo City',
      posId: '3',
      posName: 'POS 1',
      settledAt: '2026-11-20T21:05:00',
      from: '2026-11-20T09:00:00',
      to: '2026-11-20T21:00:00',
      receiptNoFrom: '950',
      receiptNoTo: '1042',
      currency: 'NOK',
      grossTotal: '18500.5',
      grossDiscount: '250',
      grandTotal: '18250.5',
      netTotal: '14600.4',
      vatTotal: '3650.1',
      vatArea1: '3650.1',
      vatArea2: null,
      vatArea3: null,
      openingCashBalance: '2000',
      closingCashBalance: '2350',
      discrepancy: '0',
      payments: [
        { type: 'Card', subType: 'Visa', amount: '17900.5', tendered: '17900.5', tenderedCurrency: 'NOK' },
        { type: 'Cash', subType: 'Cash', amount: '350', tendered: '350', tenderedCurrency: 'NOK' },
      ],
      withdrawals: [{ type: 'Cash', subType: 'Cash', amount: '-100' }],
      deposits: [],
      vatRates: null,
      savedAt: ISO,
    })
  })

  test('When goods are announced, then the delivery is read with its lines', async () => {
    await desk().hub.post('DeliveryCreated', delivery())
    expect(await items('goods-deliveries')).toEqual([
      {
        id: '90210',
        reference: 'PO-2026-17',
        stockId: '12',
        stockNo: '101',
        storeNo: null,
        companyId: '7',
        type: 'PlannedDelivery',
        status: 'Delivered',
        isCompleted: false,
        comment: null,
        brand: null,
        season: null,
        orderType: null,
        expectedQuantity: null,
        expectedCost: null,
        receivedQuantity: null,
        receivedCost: null,
        expectedOn: '2026-11-24',
        day: '2026-11-20',
        at: '2026-11-20T10:15:00',
        lines: [
          {
            article: '7090012340011',
            gtin: '7090012340011',
            identifier: '7090012340011',
            productId: null,
            name: null,
            number: null,
            variant: null,
            color: null,
            label: null,
            description: null,
            expected: '10',
            received: '0',
            cost: '120',
            costCurrency: 'NOK',
            currentLevel: '4',
            movements: [],
          },
        ],
        savedAt: ISO,
      },
    ])
  })
})

test('When lines were sold and came back, then revenue is exact, and below 0 for what came back', async () => {
  await using desk = await openDesk()
  await desk.save(
    soldLine('1', { body: { quantity: '3', unitPrice: '0.1' } }),
    soldLine('2', { body: { quantity: '-1', unitPrice: '1399.995', currency: 'SEK' } }),
  )
  const { body } = await desk.get('sales-lines')
  expect(body.items.map(({ id, revenue, currency }) => [id, revenue, currency])).toEqual([
    ['1', '0.3', 'NOK'],
    ['2', '-1399.995', 'SEK'],
  ])
  expect(body.items[0]).toEqual({
    id: '1',
    saleId: 'S-1',
    day: '2026-11-20',
    storeId: '42',
    storeNo: '101',
    stockId: '12',
    gtin: '7090012340011',
    soldAt: '2026-11-20T14:03:27',
    quantity: '3',
    unitPrice: '0.1',
    revenue: '0.3',
    currency: 'NOK',
    fullPrice: '399',
    discount: '49.5',
    cost: null,
    vatRate: '0.25',
    savedAt: ISO,
  })
})

describe('the contract', () => {
  test('When items are read, then they are as /openapi.json describes them', async () => {
    await using desk = await openDesk({ config: { lookups: LOOKUPS } })
    const { hub } = desk
    await hub.post('SaleCreated', sale({ customer: BUYER, store: store({ storeExtId: '201' }) }))
    await hub.post('StockMovementCreated', stockMovement())
    await hub.post('StockReservationCreated', reservation())
    await hub.post('POSSettlementCreated', pulledSettlement())
    await hub.post('DeliveryCreated', delivery())
    await hub.post('CustomerCreated', customer())
    await desk.save(soldLine('1'), product('60001'))
    const { body } = await hub.ask<Document>('/openapi.json', { headers: { authorization: `Bearer ${desk.key}` } })
    for (const { name } of READ_SETS) {
      const operation = body.paths[`/v1/${name}`]?.get
      const ref = operation?.responses[200]?.content['application/json']?.schema.properties.items.items.$ref ?? ''
      const schema = body.components.schemas[ref.split('/').at(-1) ?? '']
      const isPersonal = operation?.parameters.some((one) => one.name === 'personal')
      await eventually(async () => expect(await desk.all(name)).not.toEqual([]))
      for (const path of isPersonal ? [name, `${name}?personal=true`] : [name])
        for (const item of await desk.all(path)) {
          const parser = z.fromJSONSchema({ ...schema, additionalProperties: false } as never)
          expect(parser.safeParse(item), `${path}: ${JSON.stringify(item)}`).toMatchObject({ success: true })
        }
    }
  })
})

interface Document {
  paths: Record<string, { get?: Operation }>
  components: { schemas: Record<string, object> }
}

interface Operation {
  parameters: { name: string }[]
  responses: Record<
    number,
    { content: Record<string, { schema: { properties: { items: { items: { $ref: string } } } } }> }
  >
}
