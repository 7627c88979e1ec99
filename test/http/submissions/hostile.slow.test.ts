import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseTyped } from '../../../src/lib/json.ts'
import { countOwnTime } from '../../own-time.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../../storage/postgres/schema.ts'
import { openCounter, order, product, sale, shareCounter } from './given.ts'

const counter = shareCounter()

test('when a person is written as text where an object belongs, then no fault repeats the text', async () => {
  const kari = 'Kari Nordmann, kari@example.com'
  const answers = [
    await counter().submit('sales', sale('H-1', { customer: kari })),
    await counter().submit('orders', order('H-1', { customer: kari, billingAddress: kari, shippingAddress: kari })),
    await counter().submit('sales', [JSON.stringify({ customer: kari })]),
    await counter().lines('orders', [JSON.stringify(JSON.stringify({ customer: kari }))]),
  ]
  for (const { status, text } of answers) {
    expect(status).toBe(422)
    expect(text).not.toContain('Kari')
  }
  expect(answers[0]?.body.faults[0]?.faults).toContain('customer: found text, expected an object')
})

test('when a number has very many digits, then it is refused at once', () => {
  const ownTime = countOwnTime()
  const parsed = parseTyped(Buffer.from(`[1${'0'.repeat(100_000)}1, 0.${'0'.repeat(100_000)}1, 1.${'0'.repeat(50)}]`))
  expect(ownTime()).toBeLessThan(1_000)
  expect(parsed).toEqual([{ typed: `1${'0'.repeat(100_000)}1` }, { typed: `0.${'0'.repeat(100_000)}1` }, 1])
})

const unknownFields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, 1]))

test('when an item has very many unknown fields, or a very long one, then it is refused at once and in few words', async () => {
  const many = unknownFields(4_500)
  const ownTime = countOwnTime()
  const answer = await counter().submit('products', [
    product('H-2', many),
    product('H-3', { ['x'.repeat(200_000)]: 1 }),
  ])
  expect(ownTime()).toBeLessThan(2_000)
  expect(answer.status).toBe(422)
  expect(answer.body.faults[0]?.faults).toHaveLength(100)
  expect(answer.text.length).toBeLessThan(50_000)
})

test.each([
  ['more fields than an object may have', () => JSON.stringify(product('H-6', unknownFields(50_000))), '5000 fields'],
  ['more values than a document may have', () => `[${'{},'.repeat(260_000)}{}]`, '250000 values'],
  ['brackets in brackets', () => '['.repeat(100_000) + ']'.repeat(100_000), '64 levels'],
])('a document with %s is refused by name before it is parsed', async (_, make, limit) => {
  const { status, body } = await counter().submit('products', make())
  expect({ status, code: body.code }).toEqual({ status: 413, code: 'body-too-large' })
  expect(body.detail).toContain(limit)
})

test('a large document is read as a small one is: a number that cannot be held is named where it stands', async () => {
  const many = Array.from({ length: 2_000 }, (_, nth) => product(`L-${nth}`))
  const text = JSON.stringify(many)
  expect(text.length).toBeGreaterThan(64 * 1024)
  expect(await counter().submit('products', text)).toMatchObject({ status: 202, body: { lines: 2_000 } })
  const inexact = JSON.stringify([...many, product('L-inexact', { price: 0 })]).replace(
    '"price":0}',
    '"price":12345678901234567890}',
  )
  const { status, body } = await counter().submit('products', inexact)
  expect(status).toBe(422)
  expect(body.faults).toEqual([{ line: 2_001, faults: [expect.stringContaining('12345678901234567890')] }])
  const broken = await counter().submit('products', text.slice(0, -1))
  expect(broken).toMatchObject({ status: 400, body: { detail: expect.stringContaining('not JSON') } })
})

test('when an object has keys of JavaScript’s own, then they are unknown fields like any other', async () => {
  const { body } = await counter().submit('products', '{"extId":"H-4","__proto__":{"price":1},"constructor":2}')
  expect(body.faults[0]?.faults.map((fault) => fault.split(':')[0])).toEqual(['__proto__', 'constructor'])
})

test('when several things are wrong with one item, then none waits for the others to be corrected', async () => {
  const faultsOf = async (path: string, item: object) => {
    const { body } = await counter().submit(path, item)
    return body.faults[0]?.faults
  }
  expect(await faultsOf('prices', { price: 1 })).toEqual([
    'list: found nothing, expected text',
    'found an object, expected exactly one of productExtId, gtin and productId',
  ])
  expect(await faultsOf('cost-prices', { currency: 'NOK', price: '1,5' })).toEqual([
    expect.stringContaining('price: found "1,5"'),
    'found an object, expected gtin, productId or both of one product, or productExtId alone',
  ])
  expect(await faultsOf('stock-adjustments', { gtin: '7040000010017' })).toEqual([
    expect.stringContaining('quantity: found nothing'),
    'found an object, expected exactly one of stockId and stockNo',
  ])
  const count = { stockNo: 'nowhere', isCompleteStockCount: true, items: [{ gtin: '7040000010017', quantity: 1 }] }
  expect(await faultsOf('stock-adjustments', count)).toEqual([
    expect.stringContaining('stockCountTime: found nothing'),
    expect.stringContaining('stockNo: found "nowhere"'),
  ])
  expect(await faultsOf('sales', sale('H-5', { saleDateTime: 'now', customer: null, stockNo: 'nowhere' }))).toEqual([
    expect.stringContaining('saleDateTime: found "now"'),
    'found an object, expected exactly one of customer and customerId',
    expect.stringContaining('stockNo: found "nowhere"'),
  ])
})

test('when more items are bad than are listed, or a group is refused for what is common, then all are counted', async () => {
  const bad = Array.from({ length: 1_200 }, () => ({}))
  const prices = [
    { productExtId: 'P-1', price: 1 },
    { productExtId: 'P-2', price: 2 },
  ]
  const answers = [await counter().submit('products', bad), await counter().lines('products', bad)]
  for (const { status, body } of answers) {
    expect({ status, lines: body.lines }).toEqual({ status: 422, lines: 1_200 })
    expect(body.faults).toHaveLength(1_000)
  }
  const tried = await counter().submit('products?dryRun=true', bad)
  expect(tried).toMatchObject({ status: 200, body: { lines: 1_200, accepted: 0, refused: 1_200 } })
  expect(await counter().submit('prices', { prices })).toMatchObject({ status: 422, body: { lines: 2 } })
})

/** Signs that are no letters of ours: each takes nine bytes of a name, and these cannot be pressed into less. */
const farOff = () => Array.from({ length: 200 }, () => String.fromCodePoint(0x4e00 + randomInt(20_000))).join('')

test.skipIf(SERVER === undefined)(
  `When the names of one line are too long together for PostgreSQL, then that line alone is refused (${NO_SERVER} otherwise)`,
  async () => {
    await using schema = await temporarySchema()
    await using own = await openCounter({ config: { store: { url: schema.url } } })
    const price = (list: string, productExtId: string) => ({ list, productExtId, price: 1 })
    const answer = await own.lines('prices', [price('NO', 'P-1'), price(farOff(), farOff()), price('NO', 'P-2')])
    expect(answer.body).toMatchObject({
      ...{ lines: 3, accepted: 2, refused: 1 },
      faults: [{ line: 2, faults: ['its names are too long together: nothing can be found by them'] }],
    })
  },
)
