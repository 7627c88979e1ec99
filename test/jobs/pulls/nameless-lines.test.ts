import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import { createFolder } from '../../hub.ts'
import { HOUR } from '../kit.ts'
import { openPulled, type Pulled } from './pull-kit.ts'

/* Webhooks may leave the GTIN of goods empty (spec, "Delivery webhook payload"), and the list has it. It is one line all the same. */

const KIND = 'DeliveryUpdated'
const TEE = { sku: 'TEE-BLK-M', gtin: '7090012340011' }
const COAT = { gtin: '7090012340073' }

let the: Pulled
let erp: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  erp = await createFolder()
  const write = { received: { name: 'received-{key}', format: 'json' } }
  const destinations = { erp: { adapter: 'files', folder: erp.path, write } }
  the = await openPulled('2026-11-20T09:00:00Z', { days: 2 }, { destinations })
  // What the platform says of deliveries is said by the stories.
  the.lose(true)
})
afterAll(async () => {
  await the[Symbol.asyncDispose]()
  await erp[Symbol.asyncDispose]()
})

/** How many of each article an ERP was told have come, one number a booking. */
async function booked(deliveryId: number): Promise<Record<string, number[]>> {
  const names = await readdir(erp.path)
  const read = await Promise.all(
    names
      .filter((name) => name.startsWith('received-'))
      .map(
        async (name): Promise<Bookings['bookReceived'][]> => JSON.parse(await readFile(join(erp.path, name), 'utf8')),
      ),
  )
  const own = read.flat().filter(({ delivery }) => delivery.deliveryId === String(deliveryId))
  const byArticle = Map.groupBy(own, ({ line }) => line.article)
  return Object.fromEntries(
    [...byArticle].map(([article, all]) => [
      article,
      all.map(({ quantity }) => Number(quantity)).sort((a, b) => a - b),
    ]),
  )
}

interface Line {
  identifier: string
  gtin: string
  expected: number
  received: number
}

/** A webhook about a delivery, as it is now. */
async function push(orderId: number, at: string, lines: Line[]): Promise<void> {
  const products = lines.map(({ identifier, gtin, expected, received }) => ({
    ...{ identifier, gtin, quantityExpected: expected, quantityReceived: received },
    ...{ currentStockLevel: null, costPrice: null, costPriceCurrency: null, stockMovements: [] },
  }))
  const head = {
    stockId: 12,
    stockExtId: '101',
    isCompleted: false,
    orderId,
    orderReference: 'PO',
    type: 'PlannedDelivery',
  }
  await the.hub.post(KIND, { ...head, products, updatedDateTime: at }, { eventId: `${orderId} ${at}` })
  await the.quiet()
}

/** A delivery of ten that is listed, of which so many have come. */
function announced(came: number): number {
  const { orderId } = the.platform.actions.announceDelivery({ stock: '101', sku: TEE.sku, quantity: 10, cost: 120 })
  receive(orderId as number, came)
  return orderId as number
}

function receive(orderId: number, quantity: number): void {
  the.platform.actions.receiveDelivery({ orderId, sku: TEE.sku, quantity })
}

for (const [name, identifier] of [
  ['the GTIN', TEE.gtin],
  ["a name of the platform's own", 'A'],
] as const)
  test(`When a webhook says no GTIN, and ${name} as the identifier, then what the list says is of the same line`, async () => {
    const orderId = announced(4)
    await push(orderId, '2026-11-20T10:05:00', [{ identifier, gtin: '', expected: 10, received: 4 }])
    expect(await booked(orderId)).toEqual({ [identifier]: [4] })
    expect(await the.run('goods-deliveries')).toMatch(', 0 with news')

    receive(orderId, 3)
    the.clock.advance(HOUR)
    expect(await the.run('goods-deliveries')).toMatch(', 1 with news')
    await the.quiet()
    const reported = identifier === 'A' ? { A: [4], [TEE.gtin]: [3] } : { [TEE.gtin]: [3, 4] }
    expect(await booked(orderId)).toEqual(reported)

    // What was lost comes late, and what comes then says it both ways.
    await push(orderId, '2026-11-20T10:20:00', [{ identifier, gtin: '', expected: 10, received: 7 }])
    await push(orderId, '2027-11-20T10:20:00', [{ identifier, gtin: TEE.gtin, expected: 10, received: 7 }])
    expect(await booked(orderId)).toEqual(reported)
  })

test('When webhooks say the GTIN only later, or not any more, then what came is booked once', async () => {
  const say = (minute: number, gtin: string, received: number) =>
    push(7001, `2026-11-20T11:${minute}:00`, [{ identifier: 'A', gtin, expected: 10, received }])
  await say(10, '', 4)
  await say(11, TEE.gtin, 4)
  expect(await booked(7001)).toEqual({ A: [4] })
  await say(12, TEE.gtin, 7)
  await say(13, '', 9)
  await say(14, TEE.gtin, 9)
  expect(await booked(7001)).toEqual({ A: [2, 4], [TEE.gtin]: [3] })
})

test('When several sizes have one identifier, then each is booked by itself', async () => {
  const say = (minute: number, tee: number, coat: number) =>
    push(7002, `2026-11-20T12:${minute}:00`, [
      { identifier: 'STYLE', gtin: TEE.gtin, expected: 10, received: tee },
      { identifier: 'STYLE', gtin: COAT.gtin, expected: 10, received: coat },
    ])
  await say(10, 4, 0)
  await say(11, 4, 5)
  expect(await booked(7002)).toEqual({ [TEE.gtin]: [4], [COAT.gtin]: [5] })
})

test.each([
  ['both', 7003, ['', '']],
  ['the first', 7004, ['', TEE.gtin]],
  ['the second', 7005, [TEE.gtin, '']],
])('When two lines come to have one GTIN that %s lacked, then what came is booked once', async (_, orderId, before) => {
  const say = (minute: number, gtins: readonly string[], [first, second]: [number, number]) =>
    push(orderId, `2026-11-20T13:${minute}:00`, [
      { identifier: 'S', gtin: gtins[0] ?? '', expected: 10, received: first },
      { identifier: 'M', gtin: gtins[1] ?? '', expected: 10, received: second },
    ])
  const both = [TEE.gtin, TEE.gtin]
  const total = async () =>
    Object.values(await booked(orderId))
      .flat()
      .reduce((sum, one) => sum + one, 0)
  await say(10, before, [5, 3])
  expect(await total()).toBe(8)
  await say(11, both, [5, 3])
  expect(await total()).toBe(8)
  await say(12, both, [5, 6])
  expect(await total()).toBe(11)
  await say(13, before, [5, 6])
  await say(14, both, [6, 6])
  expect(await total()).toBe(12)
})
