import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { deliveriesOf } from '../../hub.ts'
import { order, shareCounter } from './given.ts'

const counter = shareCounter()

/** Waits until the newest delivery of an order is over, and says how. */
async function outcomeOf(orderNo: string, flow: string) {
  const find = async () =>
    (await deliveriesOf(counter().hub)).find((one) => one.entity === `order:${orderNo}` && one.flow === flow)
  await eventually(async () => expect((await find())?.state).toMatch(/^(delivered|dead|held|superseded)$/))
  const { state, code = null } = (await find()) ?? {}
  return { state, code }
}

const two = [
  { gtin: '7040000010017', price: '399.50', quantity: '1' },
  { gtin: '7040000010024', price: 20, quantity: 2 },
]

describe('An order of an own system', () => {
  test('When it is submitted, changed and cancelled, then the store has it, has it anew, and has it no more', async () => {
    const { submit, hub } = counter()
    const submitted = await submit('orders', order('W-1', { theirId: '7001' }))
    expect(submitted.status).toBe(202)
    expect(await outcomeOf('W-1', 'submit-order')).toEqual({ state: 'delivered', code: expect.anything() })
    const links = await hub.hub.storage.links('erp', 'order', ['W-1'])
    expect(links).toEqual([{ destination: 'erp', kind: 'order', id: 'W-1', theirId: '7001' }])

    const { orderNo: _, ...whole } = order('W-1', { orderLines: two })
    expect((await submit('orders/W-1', whole, { method: 'PUT', key: 'change-1' })).status).toBe(202)
    expect(await outcomeOf('W-1', 'change-order')).toMatchObject({ state: 'delivered' })
    expect(await counter().onPlatform('W-1')).toMatchObject({
      orderLines: [{ gtin: '7040000010017' }, { gtin: '7040000010024', quantity: 2 }],
    })
    const again = await submit('orders/W-1', whole, { method: 'PUT', key: 'change-1' })
    expect([again.status, again.body.status]).toEqual([200, 'duplicate'])

    expect((await submit('orders/W-1', '', { method: 'DELETE', key: 'off' })).status).toBe(202)
    expect(await outcomeOf('W-1', 'cancel-order')).toMatchObject({ state: 'delivered' })
    expect(await counter().onPlatform('W-1')).toBeNull()
    const gone = await submit('orders/W-1', '', { method: 'DELETE', key: 'off again' })
    expect([gone.status, gone.body.status]).toEqual([200, 'duplicate'])
    expect(await submit('orders/W-1', whole, { method: 'PUT' })).toMatchObject({
      status: 409,
      body: { code: 'order-cancelled' },
    })
    // A change that was taken before, whose answer was lost.
    expect((await submit('orders/W-1', whole, { method: 'PUT', key: 'change-1' })).status).toBe(200)
  })

  test('When the store has begun with it, then a change and a cancellation are dead letters in plain words', async () => {
    const { submit, platform } = counter()
    await submit('orders', order('W-2'))
    await outcomeOf('W-2', 'submit-order')
    platform.orders.pick('W-2')
    await submit('orders/W-2', order('W-2', { orderLines: two }), { method: 'PUT' })
    expect(await outcomeOf('W-2', 'change-order')).toEqual({ state: 'dead', code: 'order-begun' })
    await submit('orders/W-2', '', { method: 'DELETE' })
    expect(await outcomeOf('W-2', 'cancel-order')).toEqual({ state: 'dead', code: 'order-begun' })
    expect(await counter().onPlatform('W-2')).toMatchObject({ orderLines: [{ gtin: '7040000010017' }] })
  })
})

for (const read of ['proven', 'not proven'] as const)
  test(`a cancellation of an order that never went out has nothing left to do, where reading an order is ${read}`, async () => {
    const { submit, platform, hub } = counter()
    const orderNo = `W-unsent-${read.replace(' ', '-')}`
    platform.strange.lacks = read === 'proven' ? [] : ['GET /api/OmniChannel', 'DELETE /api/OmniChannel']
    await hub.admin('destinations/platform/pause', { reason: 'the platform is updated' })
    await submit('orders', order(orderNo))
    await submit(`orders/${orderNo}`, '', { method: 'DELETE' })
    await hub.admin('destinations/platform/resume', { reason: 'done' })
    expect(await outcomeOf(orderNo, 'cancel-order')).toEqual({ state: 'superseded', code: 'nothing-left' })
    expect(await outcomeOf(orderNo, 'submit-order')).toEqual({ state: 'superseded', code: 'invalidated' })
    platform.strange.lacks = []
    expect(await counter().onPlatform(orderNo)).toBeNull()
  })

test('When a program follows /openapi.json, then its examples are taken: an order, its change, its cancellation', async () => {
  const { submit, hub, keyOf } = counter()
  const headers = { authorization: `Bearer ${(await keyOf('oms', 'orders')).key}` }
  const { body } = await hub.ask<{ paths: Record<string, Record<string, Operation>> }>('/openapi.json', { headers })
  const { paths } = body
  const example = paths['/v1/orders']?.post?.requestBody?.content['application/json'].examples?.example2?.value
  const storeNo = { storeNo: '101' }
  expect((await submit('orders', { ...example, ...storeNo, orderNo: 'W-7' })).status).toBe(202)
  const ofOne = paths['/v1/orders/{orderNo}']
  const whole = ofOne?.put?.requestBody?.content['application/json'].example
  expect((await submit('orders/W-7', { ...whole, ...storeNo }, { method: 'PUT' })).status).toBe(202)
  expect(Object.keys(ofOne?.delete?.responses ?? {})).toContain('404')
  expect((await submit('orders/W-7', '', { method: 'DELETE' })).status).toBe(202)
})

/** As much of an operation as is read here. */
interface Operation {
  requestBody?: { content: { 'application/json': { example?: object; examples?: Record<string, { value: object }> } } }
  responses: Record<string, unknown>
}

describe('What cannot be changed', () => {
  test.each(['PUT', 'DELETE'])('When nobody submitted the order, then %s is answered 404', async (method) => {
    const answer = await counter().submit('orders/W-none', order('W-none'), { method })
    expect(answer).toMatchObject({ status: 404, body: { code: 'no-such-order' } })
  })

  test('When the key is missing, the number is another, or the store is, then it says so', async () => {
    const { submit, keyOf } = counter()
    await submit('orders', order('W-3'))
    const put = (body: unknown, more = {}) => submit('orders/W-3', body, { method: 'PUT', ...more })
    expect((await put(order('W-3'), { key: null })).body.code).toBe('idempotency-key-missing')
    expect((await submit('orders/W-3', '', { method: 'DELETE', key: null })).body.code).toBe('idempotency-key-missing')
    expect((await put(order('W-4'))).body.faults).toEqual([
      { line: 1, faults: ['orderNo: found "W-4", expected "W-3", as in the path'] },
    ])
    const moved = (await put(order('W-3', { storeNo: '101' }))).body.faults[0]?.faults
    expect(moved).toEqual([expect.stringContaining('cancel it, and submit it to the other store under another number')])
    const { key } = await keyOf('pim', 'products')
    expect((await put(order('W-3'), { as: key })).status).toBe(403)
  })

  test('When one key names a change and another thing, then the second is refused', async () => {
    const { submit } = counter()
    await submit('orders', order('W-5'))
    await submit('orders/W-5', order('W-5', { orderLines: two }), { method: 'PUT', key: 'one key' })
    const other = await submit('orders/W-5', '', { method: 'DELETE', key: 'one key' })
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } })
  })
})

test('When a cancelled order is submitted once more, then it is refused: the store would never have it', async () => {
  const { submit } = counter()
  expect((await submit('orders', order('X-1'), { key: 'x-1' })).status).toBe(202)
  expect((await submit('orders/X-1', '', { method: 'DELETE', key: 'x-1 off' })).status).toBe(202)
  const again = await submit('orders', order('X-1'), { key: 'x-1 anew' })
  const sentTwice = await submit('orders', order('X-1'), { key: 'x-1' })
  expect(again.status).toBe(422)
  expect(JSON.stringify(again.body)).toContain('order X-1 was cancelled before')
  expect(sentTwice.status).toBe(200)
})
