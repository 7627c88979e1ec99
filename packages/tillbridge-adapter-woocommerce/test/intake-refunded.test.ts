import { expect, test } from 'vitest'
import { AT_OSLO, askShop, type ConnectedShop, SHIRT, startConnected, VAT } from './kit.ts'

/*
 * What the shop's people refund of an order that a store has still to execute. WooCommerce leaves lines and total of the order as
 * they were, keeps its status until all is refunded, dates it anew, and sends `order.updated` (`wc_create_refund` in
 * wc-order-functions.php; `woocommerce_order_refunded` among the hooks of that topic in wc-webhook-functions.php, read 2026-11-26).
 */

interface Given {
  lines?: { id: number; quantity?: number; refund_total?: string }[]
  amount: string
  reason?: string
}

async function refund({ shop }: ConnectedShop, id: number, { lines = [], ...given }: Given): Promise<void> {
  const body = { ...given, api_refund: false, line_items: lines }
  await askShop(shop, 'POST', `/orders/${id}/refunds`, body)
}

/** An order of two T-shirts for 349 each, to be picked up, as the shop handed it over. */
async function placed(it: ConnectedShop) {
  const { id, lines } = await it.shop.placeOrder({ lines: [{ ...SHIRT, quantity: 2 }], shipping: AT_OSLO })
  const [line] = lines
  if (!line) throw new Error('The order has no line.')
  return { id, line: line.id }
}

const of = (orderLines: object[], amount: string) => ({ orderLines, paymentLines: [{ amount }] })

test('When people of the shop give one of two pieces back, then the store has one to hand out, which is paid', async () => {
  await using it = await startConnected({}, { taxes: VAT })
  const { id, line } = await placed(it)
  const [before] = await it.handedOver()
  await refund(it, id, { amount: '349.00', lines: [{ id: line, quantity: 1, refund_total: '279.20' }] })
  const after = (await it.handedOver()).at(-1)
  expect(before?.value).toMatchObject(of([{ price: '349', quantity: '2' }], '698'))
  expect(after).toMatchObject({
    resource: 'orders',
    theirId: String(id),
    value: of([{ price: '349', quantity: '1' }], '349'),
  })
})

test('When the webhook about it was lost, then the poll says the same', async () => {
  await using it = await startConnected()
  const start = (await it.intake.poll?.(null, { signal: AbortSignal.timeout(5_000) }))?.cursor ?? null
  const { id, line } = await placed(it)
  await refund(it, id, { amount: '349.00', lines: [{ id: line, quantity: 1, refund_total: '349.00' }] })
  const pushed = await it.handedOver()
  const polled = await it.intake.poll?.(start, { signal: AbortSignal.timeout(5_000) })
  expect(polled?.items).toEqual([pushed.at(-1)])
  expect(polled?.items[0]?.value).toMatchObject(of([{ price: '349', quantity: '1' }], '349'))
})

test('When all goods are refunded, and only shipping is kept, then the store has nothing to do any more', async () => {
  await using it = await startConnected()
  const { id, line } = await placed(it)
  await askShop(it.shop, 'PUT', `/orders/${id}`, { fee_lines: [{ name: 'Wrapping', total: '50' }] })
  await refund(it, id, { amount: '698.00', lines: [{ id: line, quantity: 2, refund_total: '698.00' }] })
  expect(it.shop.orders()).toMatchObject([{ status: 'processing' }])
  expect((await it.handedOver()).at(-1)).toMatchObject({ resource: 'cancellations', value: { orderNo: String(id) } })
})

test('When only money is refunded, then the pieces stay, and are paid', async () => {
  await using it = await startConnected()
  const { id, line } = await placed(it)
  await refund(it, id, { amount: '100.00', lines: [{ id: line, refund_total: '100.00' }] })
  expect((await it.handedOver()).at(-1)?.value).toMatchObject(of([{ price: '349', quantity: '2' }], '698'))
})

test('When a piece is refunded because the store declined it, then that is no news to the store', async () => {
  await using it = await startConnected()
  const { id, line } = await placed(it)
  const reason = 'Not available: 1 × T-shirt [0f3a9c41d2e8]'
  await refund(it, id, { amount: '349.00', reason, lines: [{ id: line, quantity: 1, refund_total: '349.00' }] })
  expect((await it.handedOver()).at(-1)?.value).toMatchObject(of([{ price: '349', quantity: '2' }], '698'))
})

test('When the shop does not say which pieces were refunded, then a webhook is kept for a person, and a poll asks again', async () => {
  await using it = await startConnected()
  const start = (await it.intake.poll?.(null, { signal: AbortSignal.timeout(5_000) }))?.cursor ?? null
  const { id, line } = await placed(it)
  await refund(it, id, { amount: '349.00', lines: [{ id: line, quantity: 1, refund_total: '349.00' }] })
  await it.handedOver()
  const last = it.came.at(-1)
  await it.shop.faults.down(true)
  expect(last && (await it.intake.read?.(last))).toMatchObject([
    {
      resource: 'orders',
      faults: [expect.stringMatching(`^which pieces of order ${id} were refunded could not be asked \\(`)],
    },
  ])
  await it.shop.faults.down(false)
  const polled = await it.intake.poll?.(start, { signal: AbortSignal.timeout(5_000) })
  expect(polled?.items.at(-1)?.value).toMatchObject(of([{ price: '349', quantity: '1' }], '349'))
})

/** An order that the shop sends itself, some of it refunded before it is completed; the sale that it becomes. */
async function soldAfter(it: Clocked, given: (line: number) => Given, options: { after?: Given } = {}) {
  const { id, lines } = await it.shop.placeOrder({
    lines: [{ ...SHIRT, quantity: 2 }],
    shipping: { method: 'flat_rate', cost: '80' },
  })
  await refund(it, id, given(lines[0]?.id ?? 0))
  it.passes(60_000)
  await it.shop.setStatus(id, 'completed')
  it.passes(60_000)
  if (options.after) await refund(it, id, options.after)
  const sales = (await it.handedOver()).filter(({ resource }) => resource === 'sales')
  return sales.map(({ value }) => value)
}

async function startWithClock(written: Record<string, unknown> = {}) {
  let now = Date.UTC(2026, 10, 26, 12)
  const it = await startConnected(written, { now: () => now })
  const passes = (milliseconds: number) => {
    now += milliseconds
  }
  return Object.assign(it, { passes })
}

type Clocked = Awaited<ReturnType<typeof startWithClock>>

const sold = (salesLines: object[], amount: string) => ({ salesLines, paymentLines: [{ amount }] })

test.each([
  ['a piece', { amount: '349.00', pieces: 1, total: '349.00' }, [{ price: '349', qty: '1' }], '349'],
  ['money for a line', { amount: '98.00', pieces: 0, total: '98.00' }, [{ price: '300', qty: '2' }], '600'],
  ['less than a piece costs', { amount: '300.00', pieces: 1, total: '300.00' }, [{ price: '349', qty: '1' }], '349'],
])(
  'When people of the shop give %s back before it is completed, then the sale is what the customer kept, and paid',
  async (_, { amount, pieces, total }, lines, paid) => {
    await using it = await startWithClock()
    const given = (id: number) => ({ amount, lines: [{ id, quantity: pieces, refund_total: total }] })
    expect(await soldAfter(it, given)).toMatchObject([sold(lines, paid)])
  },
)

test('When money is refunded for no line before it is completed, then it is off all goods; shipping was paid', async () => {
  await using it = await startWithClock({ freightGtin: '9990000000017' })
  const sales = await soldAfter(it, () => ({ amount: '98.00' }))
  expect(sales).toMatchObject([
    sold(
      [
        { price: '300', qty: '2' },
        { identity: '9990000000017', price: '80', qty: '1' },
      ],
      '680',
    ),
  ])
})

test('When a piece comes back after it was completed, then that changes nothing of what was sold', async () => {
  await using it = await startWithClock()
  const sales = await soldAfter(it, (id) => ({ amount: '98.00', lines: [{ id, refund_total: '98.00' }] }), {
    after: { amount: '300.00' },
  })
  expect(sales).toMatchObject([sold([{ price: '300', qty: '2' }], '600')])
})
