import request from 'supertest'
import { describe, expect, test } from 'vitest'
import type { SandboxPlatform } from '../../../sandbox/platform/platform.ts'
import { givenPlatform, startReceiver, subscribe } from './given.ts'

const SALE =
  'receiptNo receiptFormatted receiptUrl orderNo createdDateTime updatedDateTime paymentLines orderLines store customer shippingAddress vatTotal total'
const LINE =
  'rowId gtin externalSKU brand name variant number colour size sizeText group season imageUrl quantity price vat vatPercent fullPrice discount discountPercent receiptLabel shipFromOnlineStore reasons'
const PAYMENT = 'type subType currency currencyTendered txRef text amount'
const CUSTOMER = 'customerId email firstName lastName companyName phoneCountryPrefix phone address'

/** The payloads that a subscriber of this kind gets of what `act` does. */
async function payloads(kind: string, act: (till: SandboxPlatform['till']) => void): Promise<Payload[]> {
  await using platform = await givenPlatform({ now: () => Date.parse('2026-06-30T22:30:00Z') })
  await using receiver = await startReceiver()
  await subscribe(platform, kind, receiver.url)
  act(platform.till)
  await platform.settled()
  return receiver.bodies as unknown as Payload[]
}

/** What these stories read of a payload. */
interface Payload {
  [field: string]: unknown
  paymentLines: object[]
  orderLines: { [field: string]: unknown; price: number; quantity: number; vat: number }[]
  customer: object
  store: object
  sendReceipt: Payload
  total: number
  vatTotal: number
}

describe('payloads', () => {
  test('When something is sold, then the payload has every field of the spec, and its sums agree', async () => {
    const sales = await payloads('SaleCreated', (till) => {
      for (let sale = 0; sale < 30; sale++) till.sell()
    })
    for (const sale of sales) {
      expect(fieldsOf(sale)).toEqual(sorted(SALE))
      for (const line of sale.orderLines) expect(fieldsOf(line)).toEqual(sorted(LINE))
      expect(sale.paymentLines.map(fieldsOf)).toEqual([sorted(PAYMENT)])
      expect(fieldsOf(sale.customer)).toEqual(sorted(CUSTOMER))
      expect(sum(sale.orderLines.map(({ price, quantity }) => price * quantity))).toBe(sale.total)
      expect(sum(sale.orderLines.map(({ vat }) => vat))).toBe(sale.vatTotal)
    }
    const lines = sales.flatMap(({ orderLines }) => orderLines)
    expect(lines.some(({ quantity }) => quantity === 2)).toBe(true)
    expect(lines.some(({ discount }) => Number(discount) > 0)).toBe(true)
    expect(new Set(lines.map(({ vatPercent }) => vatPercent))).toEqual(new Set([0.25, 0.15]))
  })

  test('When something is sold after midnight of the store, then its own clock is told, without zone', async () => {
    const [sale] = await payloads('SaleCreated', (till) => void till.sell({ store: '101' }))
    expect(sale?.createdDateTime).toBe('2026-07-01T00:30:00')
  })

  test('When something comes back, then quantity, total and VAT are negative, and stock goes up', async () => {
    const asked = { lines: [{ sku: 'COAT-NVY-M', quantity: -1 }] }
    const [sale] = await payloads('SaleCreated', (till) => void till.sell(asked))
    expect(sale?.orderLines).toMatchObject([{ quantity: -1 }])
    expect(sale?.total).toBeLessThan(0)
    expect(sale?.vatTotal).toBeLessThan(0)
    expect(sale?.paymentLines).toMatchObject([{ amount: sale?.total }])
    const [movement] = await payloads('StockMovementCreated', (till) => void till.sell(asked))
    expect(movement).toMatchObject({ quantity: 1, type: 'Sale', sku: 'COAT-NVY-M' })
  })

  test('When something is ordered from the online shop, then the customer and how to ship it are told', async () => {
    const [order] = await payloads(
      'OmniChannelEndlessAisleOrderCreated',
      (till) => void till.endlessAisle({ lines: [{ sku: 'TEE-BLK-M', quantity: 2 }], unknownLine: true }),
    )
    expect(fieldsOf(order ?? {})).toEqual(sorted(`${SALE} fulfillmentLocation`))
    expect(fieldsOf(order?.customer ?? {})).toEqual(sorted(`${CUSTOMER} customerExtId`))
    expect(order?.fulfillmentLocation).toMatchObject({ shipmentInfo: { length: 4 } })
    expect(order?.shippingAddress).toMatchObject({ countryCode: 'NO', postalCode: expect.stringMatching(/^\d{4}$/) })
    expect(order?.orderLines).toMatchObject([
      { externalSKU: 'TEE-BLK-M', shipFromOnlineStore: true },
      { externalSKU: 'SAMPLE-ONE', shipFromOnlineStore: true },
    ])
  })

  test.each([
    ['Email', /^\S+@example\.com$/],
    ['SMS', /^47 \d{8}$/],
  ] as const)('When a receipt is wanted by %s, then the payload says to whom', async (channel, recipient) => {
    const [receipt] = await payloads(
      'OmniChannelSendReceiptCreated',
      (till) => void till.sendReceipt({ channel, store: '201' }),
    )
    expect(fieldsOf(receipt ?? {})).toEqual(sorted('sendReceipt channel recipient recipientName signatureInfo'))
    expect(receipt).toMatchObject({
      channel,
      recipient: expect.stringMatching(recipient),
      recipientName: expect.stringMatching(/\S+ \S+/),
    })
    expect(fieldsOf(receipt?.sendReceipt.paymentLines[0] ?? {})).toEqual(sorted('type subType text amount'))
  })
})

describe('the ledger', () => {
  test('When the same seed is used twice, then the same day is played; another seed makes another', async () => {
    const days = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        await using platform = await givenPlatform({ seed, now: () => 0 })
        platform.till.sell()
        platform.till.endlessAisle()
        platform.till.sendReceipt({ channel: 'SMS' })
        return platform.ledger()
      }),
    )
    expect(days[0]).toEqual(days[1])
    expect(days[0]).not.toEqual(days[2])
  })

  test('When webhooks are lost and come twice, then the ledger still tells what was done, and no more', async () => {
    await using platform = await givenPlatform()
    await subscribe(platform, 'SaleCreated', 'http://127.0.0.1:9/')
    platform.faults.set({ drop: 0.5, duplicate: 0.5 })
    const receipts = [platform.till.sell(), platform.till.sendReceipt(), platform.till.sell()]
    await platform.settled()
    const sold = platform.ledger().filter(({ what }) => what === 'sale')
    expect(sold.map(({ posId, receiptNo }) => [posId, receiptNo])).toEqual(
      receipts.map(({ posId, receiptNo }) => [posId, receiptNo]),
    )
    const moved = platform.ledger().filter(({ what }) => what === 'movement')
    expect(moved).toHaveLength(receipts.flatMap(({ lines }) => lines).length)
  })

  test('When a till sells, then its receipts are numbered without a gap, whatever other tills do', async () => {
    await using platform = await givenPlatform()
    platform.burst(60)
    const tills = Map.groupBy(
      platform.ledger().filter(({ what }) => what === 'sale'),
      ({ posId }) => posId,
    )
    expect(tills.size).toBe(10)
    for (const receipts of tills.values())
      expect(receipts.map(({ receiptNo }) => Number(receiptNo))).toEqual(receipts.map((_, index) => 1001 + index))
  })
})

describe('people and scripts', () => {
  test('When a script sells, then it is told what', async () => {
    await using platform = await givenPlatform()
    const asked = { store: '201', lines: [{ sku: 'BEANIE-RED', quantity: 2 }] }
    const sold = await request(platform.url).post('/sandbox/sell').send(asked)
    expect(sold).toMatchObject({
      status: 200,
      body: { store: '201', receiptNo: '1001', total: expect.stringMatching(/SEK$/) },
    })
    await request(platform.url).post('/sandbox/endless-aisle').expect(200)
    await request(platform.url).post('/sandbox/move-stock').expect(200)
    await request(platform.url).post('/sandbox/burst').send({ count: 5 }).expect(200)
    expect(platform.ledger().filter(({ what }) => what === 'sale')).toHaveLength(6)
  })

  test.each([
    ['sell', { store: '999' }],
    ['sell', { lines: [{ sku: 'UNICORN' }] }],
    ['sell', { lines: [] }],
    ['sell', { lines: [null] }],
    ['sell', { lines: [{ sku: 'BEANIE-RED', quantity: 0.5 }] }],
    ['sell', { lines: [{ sku: 'BEANIE-RED', quantity: 0 }] }],
    ['sell', { lnies: [] }],
    ['send-receipt', { channel: 'Fax' }],
    ['endless-aisle', { unknownLine: 'perhaps' }],
    ['move-stock', { sku: 'UNICORN' }],
    ['burst', { count: 'many' }],
    ['burst', { count: 100_000 }],
    ['sell', '{"store":'],
  ])('When %s is asked for %j, then it is refused in words, and nothing is done', async (path, asked) => {
    await using platform = await givenPlatform()
    const answer = await request(platform.url).post(`/sandbox/${path}`).type('json').send(asked)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/\w/) } })
    expect(platform.ledger()).toEqual([])
  })
})

function fieldsOf(value: object): string[] {
  return Object.keys(value).sort()
}

function sorted(names: string): string[] {
  return names.split(' ').sort()
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((cents, amount) => cents + Math.round(amount * 100), 0) / 100
}
