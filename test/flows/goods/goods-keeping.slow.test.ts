import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from '../../../src/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { DeliveryRow } from '../../../src/storage/rows.ts'
import { apiAt } from '../../dialect.ts'
import { type Door, openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { type Counter, KEYS, openCounter, order, sale } from '../../http/submissions/given.ts'
import { deliveriesOf } from '../../hub.ts'
import { asItIs, type ChangedAnswers, startChangedAnswers } from '../../platform/operations/changed-answers.ts'

const TEE = '7090012340011'
const OTHER = '7090012340028'

let counter: Counter
let recorder: Door
let between: ChangedAnswers
let portal: Platform

beforeAll(async () => {
  counter = await openCounter({}, async (url) => {
    between = await startChangedAnswers(url)
    recorder = await openDoor(between.url)
    return { baseUrl: apiAt(recorder.url), preset: 'frontsystems-v2' as const, reserveOrders: true }
  })
  counter.platform.strange.keepsForOrders = false
  portal = createPlatform({ preset: 'frontsystems-v2', baseUrl: counter.platform.portalUrl, ...KEYS })
})

afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await counter[Symbol.asyncDispose]()
  await recorder[Symbol.asyncDispose]()
  await between[Symbol.asyncDispose]()
})

async function lately(flow: string): Promise<DeliveryRow | undefined> {
  return (await deliveriesOf(counter.hub)).filter((one) => one.flow === flow).sort((a, b) => b.id - a.id)[0]
}

function withoutIds(answer: unknown): unknown {
  const isKept = (row: object) => 'expirationDateTime' in row
  return Array.isArray(answer) && answer.every(isKept) ? answer.map((row) => ({ ...row, id: null })) : answer
}

/** What the hub asked to be kept for an order. */
async function madeFor(orderNo: string): Promise<unknown[]> {
  const sent = recorder.sent('POST /api/Stockreservation') as { extId: string; items: unknown[] }[]
  return sent.filter(({ extId }) => extId === orderNo).map(({ items }) => items)
}

async function keptFor(orderNo: string): Promise<unknown> {
  const kept = (await portal.reservations.list('13')).rows.filter(({ extId }) => extId === orderNo)
  return Object.fromEntries(kept.map(({ gtin, quantity }) => [gtin, quantity]))
}

const tees = (quantity: number) => [{ gtin: TEE, price: '399.50', quantity }]

async function done(id: number): Promise<void> {
  await eventually(async () => expect((await counter.get<{ done: boolean }>(`submissions/${id}`)).body.done).toBe(true))
}

describe('Goods of online orders, on a platform that is told to reserve them', () => {
  test('When an order is submitted, changed and cancelled, then as many are kept as it says, and then none', async () => {
    const first = await counter.submit('orders', order('K-1', { orderLines: tees(2), reservationLengthInHours: 24 }))
    await done(first.body.id)
    expect(await keptFor('K-1')).toEqual({ [TEE]: '2' })
    const lines = [...tees(1), { gtin: OTHER, price: '99', quantity: 1 }]
    const { orderNo: _, ...whole } = order('K-1', { orderLines: lines })
    await done((await counter.submit('orders/K-1', whole, { method: 'PUT' })).body.id)
    expect(await keptFor('K-1')).toEqual({ [TEE]: '1', [OTHER]: '1' })
    await done((await counter.submit('orders/K-1', '', { method: 'DELETE' })).body.id)
    expect(await keptFor('K-1')).toEqual({})
  })

  test('When the answer to a reservation gets lost, then nothing is kept twice', async () => {
    recorder.judge = ({ line }) => (line.startsWith('POST /api/Stockreservation') ? 'silent' : null)
    const { body } = await counter.submit('orders', order('K-2', { orderLines: tees(1) }))
    await eventually(async () => expect(await keptFor('K-2')).toEqual({ [TEE]: '1' }))
    recorder.judge = () => null
    const { deliveries } = (await counter.hub.admin<{ deliveries: { id: number; flow: string }[] }>('deliveries')).body
    const id = deliveries.find(({ flow }) => flow === 'keep-goods')?.id
    await eventually(async () => {
      await counter.hub.admin('deliveries/retry', { ids: [id], by: 'a test' })
      expect((await counter.get<{ done: boolean }>(`submissions/${body.id}`)).body.done).toBe(true)
    })
    expect(await madeFor('K-2')).toHaveLength(1)
  })

  test('When an order and its sale have freight, then the platform gets its own article for it', async () => {
    const lines = [...tees(1), { freight: true, price: '49', quantity: 1, name: 'Home delivery' }]
    const created = await counter.submit('orders', order('K-3', { orderLines: lines }))
    await done(created.body.id)
    const [sent] = (recorder.sent('POST /api/OmniChannel') as { orderNo: string }[]).filter(
      (one) => one.orderNo === 'K-3',
    )
    expect(sent).toMatchObject({ orderLines: [{ gtin: TEE }, { gtin: 'FREIGHT', price: 49, quantity: 1 }] })
    expect(await keptFor('K-3')).toEqual({ [TEE]: '1' })
    const salesLines = [
      { identity: TEE, price: '399.50', qty: 2 },
      { freight: true, price: 49, qty: 1, vat: 25, text: 'Home delivery' },
    ]
    const sold = await counter.submit('sales', sale('K-3', { salesLines, paymentLines: [{ amount: 848 }] }))
    await done(sold.body.id)
    expect(recorder.sent('PUT /api/Sale').at(-1)).toMatchObject({
      salesLines: [{ identity: TEE }, { identity: 'FREIGHT', stockID: -1, text: 'Home delivery' }],
    })
    const both = [{ identity: TEE, freight: true, price: '799', qty: 1 }]
    const refused = await counter.submit('sales', sale('K-4', { salesLines: both }))
    expect(refused.body.faults[0]?.faults).toEqual([expect.stringContaining('or freight: true')])
  })

  test('When nothing but a webhook says that an order is over, then its goods stay kept', async () => {
    await done((await counter.submit('orders', order('K-8', { orderLines: tees(1) }))).body.id)
    const forged = { order: { id: randomUUID(), orderNo: 'K-8', status: 'Rejected', orderLines: [] } }
    expect((await counter.hub.post('OmniChannelOrderUpdated', forged)).status).toBe(202)
    await eventually(async () =>
      expect(await lately('release-goods-after')).toMatchObject({ tries: 1, code: 'not-verified' }),
    )
    expect(await keptFor('K-8')).toEqual({ [TEE]: '1' })
  })

  test('When what is kept in a stock cannot all be read, then nothing is kept twice, and the rest goes on when it can be', async () => {
    await done((await counter.submit('orders', order('K-9', { orderLines: tees(1) }))).body.id)
    between.change = withoutIds
    const { orderNo: _, ...whole } = order('K-9', { orderLines: tees(2) })
    const { body } = await counter.submit('orders/K-9', whole, { method: 'PUT' })
    await eventually(async () => expect(await lately('keep-goods')).toMatchObject({ code: 'not-readable' }))
    between.change = asItIs
    expect(await keptFor('K-9')).toEqual({ [TEE]: '1' })
    await counter.hub.admin('deliveries/retry', { ids: [(await lately('keep-goods'))?.id], by: 'a test' })
    await done(body.id)
    expect(await keptFor('K-9')).toEqual({ [TEE]: '2' })
  })
})
