import { expect, test } from 'vitest'
import type { PlacedOrder } from '../../../sandbox/shop/shop.ts'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import { startHttpPeer } from '../../../test/adapters/http-peer.ts'
import { eventually } from '../../../test/eventually.ts'
import { AT_OSLO, adapterAt, askShop, type ConnectedShop, SECRET, SHIRT, startConnected } from './kit.ts'

const PICKUP: PlacedOrder = { lines: [SHIRT], shipping: AT_OSLO }

/** All that there is since the cursor, page by page. */
async function pollAll(it: ConnectedShop, from: string | null) {
  const items: IntakeItem[] = []
  let cursor = from
  for (let pages = 1; ; pages++) {
    if (pages > 20) throw new Error('It never ends.')
    const page = await it.intake.poll?.(cursor, { signal: AbortSignal.timeout(5_000) })
    if (!page) throw new Error('It cannot be asked.')
    items.push(...page.items)
    cursor = page.cursor
    if (!page.more) return { items, cursor, pages }
  }
}

/** A shop without webhooks whose clock the test moves. */
async function startQuiet() {
  const clock = { now: Date.now() - 3_600_000 }
  const it = await startConnected({}, { webhook: undefined, now: () => clock.now })
  return { it, clock }
}

/** A shop that was polled, and one order since, as it shows it. */
async function startPlaced() {
  const it = await startConnected()
  const { cursor: start } = await pollAll(it, null)
  const { id } = await it.shop.placeOrder(PICKUP)
  const whole = (await askShop(it.shop, 'GET', `/orders/${id}`)) as Record<string, unknown>
  return { start, id, whole, [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() }
}

test('When webhooks were lost, then the next poll makes good what they said, with the same keys as they have', async () => {
  await using it = await startConnected()
  const start = (await pollAll(it, null)).cursor
  await it.shop.placeOrder(PICKUP)
  const pushed = await it.handedOver()
  expect(new Set((await pollAll(it, start)).items.map(({ key }) => key))).toEqual(new Set(pushed.map(({ key }) => key)))
})

test('When it is asked for the first time, then orders of the years before stay what they were', async () => {
  const { it, clock } = await startQuiet()
  await using _ = it
  const { id } = await it.shop.placeOrder(PICKUP)
  const first = await pollAll(it, null)
  expect(first.items).toEqual([])
  clock.now = Date.now()
  await it.shop.setStatus(id, 'cancelled')
  expect((await pollAll(it, first.cursor)).items).toMatchObject([{ resource: 'cancellations' }])
})

test('When more than two pages changed in one second, and more later, then none is missing and it ends', async () => {
  const { it, clock } = await startQuiet()
  await using _ = it
  const start = `${new Date(clock.now - 60_000).toISOString().slice(0, 19)}/1`
  for (let count = 0; count < 230; count++) await it.shop.placeOrder(PICKUP)
  clock.now += 5_000
  const later = await it.shop.placeOrder(PICKUP)
  const { items, cursor } = await pollAll(it, start)
  expect(new Set(items.map(({ theirId }) => theirId)).size).toBe(231)
  const again = await pollAll(it, cursor)
  expect(again.items.map(({ theirId }) => theirId)).toContain(String(later.id))
  expect(again.cursor).toBe(cursor)
})

test('When an order was thrown away, then the poll says that it is off', async () => {
  const { it, clock } = await startQuiet()
  await using _ = it
  const { id } = await it.shop.placeOrder(PICKUP)
  const { cursor } = await pollAll(it, `${new Date(clock.now - 60_000).toISOString().slice(0, 19)}/1`)
  clock.now += 300_000
  it.shop.trash(id)
  expect((await pollAll(it, cursor)).items).toMatchObject([
    { resource: 'cancellations', value: { orderNo: String(id) } },
  ])
})

test('When one of the orders cannot be read, then the others are taken, and it is handed over to be refused', async () => {
  await using placed = await startPlaced()
  const { start, id, whole } = placed
  await using answered = await startAnswering([{ ...whole, id: 1, number: '1', total: 'a plugin was here' }, whole])
  const page = await answered.poll(start)
  expect(page?.items).toMatchObject([
    { resource: 'orders', key: expect.stringMatching(/^order\/1\/.*\/unreadable$/), value: { unreadable: ['total'] } },
    { resource: 'orders', theirId: String(id), value: { orderNo: String(id) } },
  ])
  expect(page?.items[0]?.value).not.toHaveProperty('orderNo')
})

test.each([[99], [0]])(
  'When the shop leaves all but %s orders of a page out, then those on the pages behind it are asked for all the same',
  async (shown) => {
    await using placed = await startPlaced()
    const { id, whole } = placed
    const orders = Array.from({ length: shown }, (_, index) => ({ ...whole, id: id + index }))
    await using answered = await startAnswering(orders, { 'x-wp-totalpages': '2' })
    // All of them changed in the second that is asked for.
    const after = new Date(Date.parse(`${whole.date_modified_gmt}Z`) - 1_000).toISOString().slice(0, 19)
    const first = await answered.poll(`${after}/1`)
    expect(first).toMatchObject({ more: true, cursor: `${after}/2` })
    expect(await answered.poll(first?.cursor ?? '')).toMatchObject({
      more: false,
      cursor: expect.stringMatching(/\/1$/),
    })
  },
)

for (const modified of ['9999-12-31T23:59:59', 'yesterday'] as const)
  test(`When the last order of a page says that it was changed at ${modified}, then the next poll goes on from what the others say, or from now`, async () => {
    await using placed = await startPlaced()
    const { start, whole } = placed
    await using answered = await startAnswering([whole, { ...whole, id: 1, number: '1', date_modified_gmt: modified }])
    const page = await answered.poll(start)
    expect(page?.items).toHaveLength(2)
    const [after = '', number] = page?.cursor.split('/') ?? []
    expect(number).toBe('1')
    expect(Date.parse(`${after}Z`)).toBeLessThan(Date.now())
  })

test('When what was kept by a shop whose clock was ahead is read, then orders of now are asked for', async () => {
  await using it = await startConnected()
  await pollAll(it, null)
  const { id } = await it.shop.placeOrder(PICKUP)
  expect((await pollAll(it, '2099-01-01T00:00:00/1')).items).toMatchObject([{ theirId: String(id) }])
})

test('When one of the orders has no number, or an id that is none, then the others are taken, and it is handed over to be refused', async () => {
  await using placed = await startPlaced()
  const { start, id, whole } = placed
  await using answered = await startAnswering([
    { ...whole, id: 7, number: null },
    { ...whole, id: '' },
    'an order',
    whole,
  ])
  const page = await answered.poll(start)
  expect(page?.items.map(({ key }) => key)).toEqual([
    expect.stringMatching(/^order\/7\/.*\/unreadable$/),
    expect.stringMatching(/^order\/[0-9a-f]{32}\/.*\/unreadable$/),
    expect.stringMatching(/^order\/[0-9a-f]{32}\/.*\/unreadable$/),
    expect.stringMatching(`^order/${id}/`),
  ])
  expect(page?.items.slice(0, 3).map(({ value }) => value.unreadable)).toEqual([['number'], ['id'], ['']])
})

/** A shop that answers these, whatever it is asked. */
async function startAnswering(orders: unknown[], headers: Record<string, string> = {}) {
  const peer = await startHttpPeer()
  peer.play({ status: 200, headers, body: JSON.stringify(orders) })
  const shop = adapterAt(peer.address, { webhookSecret: SECRET })
  return {
    poll: (cursor: string | null) => shop.intake?.poll?.(cursor, { signal: AbortSignal.timeout(5_000) }),
    async [Symbol.asyncDispose]() {
      await shop[Symbol.asyncDispose]()
      await peer[Symbol.asyncDispose]()
    },
  }
}

test('webhooks that WooCommerce has turned off are named by the poll and by doctor, and accounts of meanwhile are read', async () => {
  await using down = await startHttpPeer()
  down.play({ status: 503 })
  const url = `${down.address}/intake/shop`
  await using it = await startConnected({}, { webhook: { url, secret: SECRET } })
  for (let count = 0; count < 6; count++)
    await askShop(it.shop, 'POST', '/customers', { email: `kari${count}@example.com`, first_name: 'Kari' })
  await eventually(() => it.shop.webhooksSettled())
  expect(it.shop.disabledWebhooks()).toEqual(['customer.created'])
  await askShop(it.shop, 'POST', '/customers', { email: 'ola@example.com', first_name: 'Ola' })
  const page = await it.intake.poll?.(null, { signal: AbortSignal.timeout(5_000) })
  expect(page?.problem).toMatch(/turned off its webhooks after failed deliveries: customer.created \(4\)/)
  expect(page?.items.map(({ value }) => value.email)).toContain('ola@example.com')
  const found = (await it.instance.healthCheck?.({ signal: AbortSignal.timeout(5_000) })) ?? []
  expect(found.filter(({ what }) => what === 'webhooks')).toMatchObject([
    { state: 'problem', says: 'WooCommerce has turned off after failed deliveries: customer.created (4).' },
  ])
})

test('a shop that sends its webhooks, or does not tell our key of them, has no problem', async () => {
  await using it = await startConnected()
  const page = await it.intake.poll?.(null, { signal: AbortSignal.timeout(5_000) })
  expect(page).not.toHaveProperty('problem')
})
