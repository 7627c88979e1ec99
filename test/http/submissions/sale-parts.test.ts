import { afterAll, expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import type { OrderStory } from '../../../src/admin/orders.ts'
import { asking } from '../../cli/run.ts'
import { openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { allDelivered, keptIn } from '../../hub.ts'
import { TEE } from '../../sandbox/platform/goods/given.ts'
import { KEYS, sale as saleOf, shareCounter } from './given.ts'

/** What the hub sends to the platform passes here. */
const sandbox = await startPlatform(KEYS)
const door = await openDoor(sandbox.url)
const counter = shareCounter({ config: { platform: { baseUrl: door.url } } })
afterAll(async () => {
  await door[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
})

const GUID = '5A1F0B52-7A43-4F0E-9B39-0D6A6C2F7B11'

/** What was taken of an order: its GUID and what was paid. */
function takenOf(orderNo: string): { saleGuid: string; amount: string }[] {
  return keptIn(counter().hub)
    .filter(({ kind, state }) => kind === 'SaleSubmitted' && state === 'routed')
    .map(({ body }) => JSON.parse(body.toString()))
    .filter((payload) => payload.orderNo === orderNo)
    .map(({ saleGuid, payments }) => ({ saleGuid, amount: payments[0].amount }))
}

const sale = (orderNo: string, more: object = {}) =>
  saleOf(orderNo, { salesLines: [{ identity: TEE.gtin, price: '399.50', qty: 2 }], ...more })

/** A refusal that names a field is the sale's own. */
const REFUSED = { status: 400, body: '{"errors":{"salesLines":["no such article"]}}' }

const back = { salesLines: [{ identity: TEE.gtin, price: '399.50', qty: -1 }], paymentLines: [{ amount: '-399.50' }] }

test('When an order becomes several sales, each with its part, then all are imported in order, and each counts once', async () => {
  const one = sale('P-1', { part: 'delivery 1' })
  for (const part of [one, sale('P-1', { part: 'delivery 2' }), sale('P-1', { part: 'return 1', ...back })])
    expect(await counter().submit('sales', part)).toMatchObject({ status: 202 })
  expect(await counter().submit('sales', one)).toMatchObject({ status: 200, body: { status: 'duplicate' } })
  const taken = takenOf('P-1')
  expect(taken.map(({ amount }) => amount)).toEqual(['799', '799', '-399.5'])
  expect(new Set(taken.map(({ saleGuid }) => saleGuid)).size).toBe(3)
  await allDelivered(counter().hub, keptIn(counter().hub).length)
  const imported = door.passed.filter(({ line }) => line === 'PUT /api/Sale').map(({ body }) => JSON.parse(body))
  expect(imported.map(({ saleGuid }) => saleGuid)).toEqual(taken.map(({ saleGuid }) => saleGuid))
})

test('When the own system names its sales, then its GUID goes to the platform, and tells them apart', async () => {
  expect(await counter().submit('sales', sale('P-2', { saleGuid: GUID }))).toMatchObject({ status: 202 })
  expect(await counter().submit('sales', sale('P-2'))).toMatchObject({ status: 202 })
  expect(takenOf('P-2')[0]?.saleGuid).toBe(GUID.toLowerCase())
  const again = await counter().submit('sales', sale('P-2', { saleGuid: GUID.toLowerCase() }))
  expect(again).toMatchObject({ status: 200, body: { status: 'duplicate' } })
  const other = await counter().submit('sales', sale('P-3', { saleGuid: GUID }))
  expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect(other.body.faults[0]?.faults[0]).toContain('give it a part or a saleGuid of its own')
  expect(await counter().submit('sales', sale('P-4', { saleGuid: 'mine' }))).toMatchObject({ status: 422 })
})

test('When the platform refuses a sale, then its order tells of it, and what is not done is named by the order', async () => {
  door.judge = ({ line }) => (line === 'PUT /api/Sale' ? REFUSED : null)
  await counter().submit('sales', sale('P-5'))
  const story = () => counter().hub.admin<OrderStory>('orders/P-5')
  await eventually(async () => expect((await story()).body.open).toMatchObject([{ state: 'dead' }]))
  const { timeline, open } = (await story()).body
  expect(open[0]?.entity).toBe('sale:erp/P-5')
  expect(timeline[0]?.what).toMatch(/^SaleSubmitted by erp \(submission \d+\): a sale of 799, 1 line, [0-9a-f-]{36}$/)
  const { out } = await asking(counter().hub)('order', 'P-5')
  expect(out).toMatch(/sale:erp\/P-5/)
})
