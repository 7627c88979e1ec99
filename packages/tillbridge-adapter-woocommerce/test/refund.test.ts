import { describe, expect, test } from 'vitest'
import { PermanentError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { amountOf, partOf } from '../src/orders/refunds.ts'
import { ShopOrder, ShopRefund } from '../src/shop-order.ts'
import { act, again, askShop, callOf, lineOf, place, startWithOrder, startWithShop, VAT } from './kit.ts'

describe('goods that came back in a store', () => {
  test('When the shop must pay, then it pays what a piece cost with tax, and keeps its stock', async () => {
    await using it = await startWithOrder()
    const effect = await act(it, callOf.refund(it.number))
    const order = it.order()
    expect(order.refunds).toMatchObject([
      { amount: '100.00', paidBack: true, lines: [{ quantity: 1, total: '80.00', totalTax: '20.00' }] },
    ])
    expect(order.refunds[0]?.reason).toMatch(/^Returned at Oslo City: 1 × T-shirt \[[\da-f]{12}\]$/)
    const id = order.refunds[0]?.id
    expect(effect).toEqual({
      links: [{ kind: 'refund', id: 'R-1/7090012340011', theirId: String(id) }],
      note: `order ${it.number}, refund ${id}: 100.00 NOK paid back`,
    })
    expect(it.shop.products().find((product) => product.id === 11)?.stock).toBe(17)
  })

  test('When the POS has paid, then the books of the shop follow, and no money moves', async () => {
    await using it = await startWithOrder()
    await act(it, callOf.noteRefund(it.number, 2))
    expect(it.order().refunds).toMatchObject([{ amount: '200.00', paidBack: false, lines: [{ quantity: 2 }] }])
  })

  test('When all came back, then the order is refunded', async () => {
    await using it = await startWithOrder()
    await act(it, callOf.refund(it.number, 3))
    expect(it.order()).toMatchObject({ status: 'refunded', refunds: [{ amount: '300.00' }] })
  })

  test('money that was refunded before for no goods is told of: the rest is paid, and a note of the order says so', async () => {
    await using it = await startWithOrder()
    await askShop(it.shop, 'POST', `/orders/${it.order().id}/refunds`, { amount: '250.00', reason: 'By hand' })
    await act(it, callOf.refund(it.number))
    expect(it.order().refunds.map(({ amount }) => amount)).toEqual(['250.00', '50.00'])
    expect(it.order().notes.filter((one) => one.includes('Please look'))).toEqual([
      'Returned at Oslo City: 1 × T-shirt: these goods cost 100.00 NOK, and only 50.00 NOK were left to refund, because money was refunded before for no goods. Please look whether that was for these.',
    ])
    const another = act(it, callOf.refund(it.number), { key: 'another' })
    await expect(another).rejects.toMatchObject({ code: 'nothing-left' })
  })

  test('When the same is told twice, then it is paid once', async () => {
    await using it = await startWithOrder()
    await act(it, callOf.refund(it.number))
    const second = await act(it, callOf.refund(it.number), again())
    expect(it.order().refunds).toHaveLength(1)
    expect(second).toMatchObject({ note: expect.stringContaining('100.00 NOK paid back') })
  })

  test.each([
    ['the id of the line', (lineId: number) => lineOf({ rowId: String(lineId), gtin: null })],
    ['the GTIN', () => lineOf()],
    ["the GTIN, with a row of the platform's own", () => lineOf({ rowId: '77001' })],
  ])('When the line is known by %s, then it is that one', async (_, line) => {
    await using it = await startWithOrder({
      line_items: [
        { product_id: 12, quantity: 1 },
        { product_id: 11, quantity: 1 },
      ],
    })
    const shirt = it.order().lines[1]?.id ?? 0
    await act(it, callOf.refund(it.number, 1, line(shirt)))
    expect(it.order().refunds[0]?.lines).toMatchObject([{ lineId: shirt }])
  })

  test('When an article is on two lines, then both give', async () => {
    const line = { product_id: 11, quantity: 1 }
    await using it = await startWithOrder({ line_items: [line, line] })
    await act(it, callOf.refund(it.number, 2))
    expect(it.order().refunds).toMatchObject([{ amount: '200.00', lines: [{ quantity: 1 }, { quantity: 1 }] }])
  })
})

test.each([
  [{ product_id: 12, quantity: 3 }, '99.99'],
  [{ product_id: 12, quantity: 3, subtotal: '66.67', total: '66.67' }, '83.34'],
  [{ product_id: 13, quantity: 3 }, '0.15'],
])('coins: When %o comes back piece by piece, then the parts add up to the whole', async (line, whole) => {
  await using it = await startWithOrder({ line_items: [line] })
  const rowId = String(it.order().lines[0]?.id)
  const row = lineOf({ rowId, gtin: null })
  for (const part of ['a', 'b', 'c']) await act(it, callOf.refund(it.number, 1, row, part), { key: `refund:${part}` })
  const { refunds, total, status } = it.order()
  const cents = refunds.map(({ amount }) => Math.round(Number(amount) * 100))
  expect(total).toBe(whole)
  expect(cents.reduce((sum, one) => sum + one, 0)).toBe(Math.round(Number(whole) * 100))
  expect(Math.max(...cents) - Math.min(...cents)).toBeLessThanOrEqual(2)
  expect(status).toBe('refunded')
})

describe('what cannot be', () => {
  test('When more comes back than was ordered, then it is refused in plain words', async () => {
    await using it = await startWithOrder()
    await expect(act(it, callOf.refund(it.number, 4))).rejects.toThrow(
      `shop: order ${it.number}: 4 of "T-shirt" are more than there are: 3 were ordered.`,
    )
    await act(it, callOf.refund(it.number, 2))
    await expect(act(it, callOf.refund(it.number, 2), { key: 'another' })).rejects.toThrow(
      '3 were ordered, 1 of them are left to refund',
    )
    expect(it.order().refunds).toHaveLength(1)
  })

  test.each([
    [1.5, lineOf(), 'not-in-pieces'],
    [1, lineOf({ gtin: '999' }), 'no-such-line'],
  ])('When %s of %o comes back, then it is refused: %s', async (quantity, line, code) => {
    await using it = await startWithOrder()
    const error = await act(it, callOf.refund(it.number, quantity, line)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PermanentError)
    expect(error).toMatchObject({ code })
  })

  test('When it was paid in a way that no program reverses, then a person is told before anything is written', async () => {
    await using it = await startWithOrder({ payment_method: 'bacs' })
    const error = await act(it, callOf.refund(it.number)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'cannot-pay-back', message: expect.stringContaining('paid by "bacs"') })
    expect(it.order().refunds).toEqual([])
    // The POS's own refund needs no provider.
    await act(it, callOf.noteRefund(it.number))
    expect(it.order().refunds).toMatchObject([{ paidBack: false }])
  })

  test('When people pay back by hand, then refunds are entered and say so', async () => {
    await using it = await startWithOrder({ payment_method: 'bacs' }, { refundPayments: false, restock: true })
    const effect = await act(it, callOf.refund(it.number))
    expect(effect).toMatchObject({ note: expect.stringContaining('entered, to be paid by hand') })
    expect(it.shop.products().find((product) => product.id === 11)?.stock).toBe(18)
  })

  test('When the provider refuses, then nothing is left in the shop, and a person is told to look', async () => {
    await using it = await startWithOrder({ set_paid: false })
    await expect(act(it, callOf.refund(it.number))).rejects.toMatchObject({ code: 'refund-refused' })
    expect(it.order().refunds).toEqual([])
  })
})

describe('killed in the middle', () => {
  for (const fault of ['drop-answer', 'half-answer'] as const)
    test(`When the money went but the answer is lost (${fault}), then it is found and not paid again`, async () => {
      await using it = await startWithOrder()
      it.shop.faults.next(fault, { method: 'POST' })
      await expect(act(it, callOf.refund(it.number))).rejects.toThrow(UnknownOutcomeError)
      expect(await it.lookOrDo(callOf.refund(it.number))).toBe('found')
      expect(it.order().refunds).toMatchObject([{ amount: '100.00', paidBack: true }])
    })

  for (const fault of ['drop-before', 'error-500-before'] as const)
    test(`When nothing happened (${fault}), then nothing is found, and it is paid once`, async () => {
      await using it = await startWithOrder()
      it.shop.faults.next(fault, { method: 'POST' })
      await expect(act(it, callOf.refund(it.number))).rejects.toThrow(UnknownOutcomeError)
      expect(await it.lookOrDo(callOf.refund(it.number))).toBe('done')
      expect(it.order().refunds).toMatchObject([{ paidBack: true }])
    })

  for (const fault of ['drop-after-save', 'error-500-after-save'] as const)
    test(`When the shop dies while it asks the provider (${fault}), then nobody pays twice: a person looks`, async () => {
      await using it = await startWithOrder()
      it.shop.faults.next(fault, { method: 'POST' })
      await expect(act(it, callOf.refund(it.number))).rejects.toThrow(UnknownOutcomeError)
      await expect(it.lookOrDo(callOf.refund(it.number))).rejects.toMatchObject({ code: 'maybe-paid-back' })
      await expect(act(it, callOf.refund(it.number), again())).rejects.toMatchObject({ code: 'maybe-paid-back' })
      expect(it.order().refunds).toMatchObject([{ paidBack: false, meta: {} }])
    })

  test('When a note of a refund breaks off after the save, then its reason is enough to find it', async () => {
    await using it = await startWithOrder()
    it.shop.faults.next('drop-after-save', { method: 'POST' })
    await expect(act(it, callOf.noteRefund(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(callOf.noteRefund(it.number))).toBe('found')
    expect(it.order().refunds).toHaveLength(1)
  })
})

describe('which order is meant', () => {
  test('When the hub has a link, then it is that one, whatever its number', async () => {
    await using it = await startWithOrder()
    const other = await place(it.shop)
    const links = async () => [{ kind: 'order', id: 'EA-1', destination: 'shop', theirId: other }]
    await act(it, callOf.refund('EA-1'), { links })
    expect(it.shop.orders().map(({ refunds }) => refunds.length)).toEqual([0, 1])
  })

  test('When a link from before names an order of a POS, and the shop has one of that number, then goods tell', async () => {
    await using it = await startWithOrder()
    const pos = await place(it.shop, {
      line_items: [{ product_id: 12, quantity: 1 }],
      meta_data: [{ key: '_tillbridge_key', value: 'K' }],
    })
    const links = async () => [{ kind: 'order', id: it.number, destination: 'shop', theirId: pos }]
    const refunds = () => it.shop.orders().map((order) => order.refunds.length)
    await act(it, callOf.refund(it.number, 1, lineOf({ quantity: parseDecimal(1) })), { links })
    expect(refunds()).toEqual([1, 0])
    const cap = lineOf({ gtin: '7090012340028', quantity: parseDecimal(1) })
    await act(it, callOf.refund(it.number, 1, cap, 'R-2'), { links, key: 'K-2' })
    expect(refunds()).toEqual([1, 1])
    const socks = lineOf({ gtin: '7090012340042', quantity: parseDecimal(1) })
    await expect(act(it, callOf.refund(it.number, 1, socks, 'R-3'), { links, key: 'K-3' })).rejects.toMatchObject({
      name: 'HeldError',
      code: 'ambiguous-order',
    })
    // An effect that may be there is not looked for in a stranger's order either.
    await expect(it.find({ ...again(), links }, callOf.refund(it.number, 1, socks, 'R-3'))).rejects.toThrow('several')
    // Staff throws one of them away: what is left is meant.
    it.shop.trash(Number(pos))
    await act(it, callOf.refund(it.number, 1, lineOf(), 'R-4'), { links, key: 'K-4' })
    expect(refunds()).toEqual([2, 1])
  })

  test('When a plugin numbers the orders, then it is the one of that number, not of that id', async () => {
    const ids: number[] = []
    // The second order has the first one's id as its number.
    const numbering = (id: number) => (ids.push(id) === 1 ? 'A-1' : String(ids[0]))
    await using it = await startWithShop({ taxes: VAT, numbering })
    const numbers = [await place(it.shop), await place(it.shop)]
    await act(it, callOf.refund(numbers[1] ?? ''))
    expect(it.shop.orders().map(({ refunds }) => refunds.length)).toEqual([0, 1])
  })

  test('When a POS placed it and the link is lost, then it is found by our number', async () => {
    await using it = await startWithOrder({
      meta_data: [{ key: 'tillbridge_order', value: 'EA-2' }],
      transaction_id: 'EA-2',
    })
    await act(it, callOf.refund('EA-2'))
    expect(it.order().refunds).toHaveLength(1)
  })

  test.each(['999999', 'ada', 'A-1'])('When there is no order %s, then it says so and what to do', async (number) => {
    await using it = await startWithOrder()
    const error = await act(it, callOf.refund(number)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'no-such-order', message: expect.stringContaining(`no order ${number}.`) })
  })
})

interface Cost {
  total: string
  total_tax: string
  taxes: string[]
}

const CASES: [string, number, Cost][] = [
  ['25 % of 300.00', 3, { total: '240.00', total_tax: '60.00', taxes: ['60'] }],
  ['a discount that does not divide', 3, { total: '66.67', total_tax: '16.67', taxes: ['16.6675'] }],
  ['7 for 100.00 at 19 %', 7, { total: '84.03', total_tax: '15.97', taxes: ['15.9657'] }],
  ['one coin for three', 3, { total: '0.01', total_tax: '0.00', taxes: ['0.0025'] }],
  ['two rates, rounded together by the shop', 3, { total: '99.99', total_tax: '14.98', taxes: ['4.99500', '9.98500'] }],
  ['no tax', 6, { total: '200.00', total_tax: '0.00', taxes: [] }],
  ['100 in a shop without decimals', 3, { total: '80', total_tax: '20', taxes: ['20'] }],
  ['a rate of nothing, told as nothing', 2, { total: '9.99', total_tax: '0.00', taxes: [''] }],
]

for (const [name, quantity, cost] of CASES)
  test(`When ${name} comes back piece by piece (${quantity}), then net, each tax and amount add up`, () => {
    const { total, total_tax } = cost
    const taxes = cost.taxes.map((tax, index) => ({ id: index + 1, total: tax }))
    const line = { id: 7, name: 'T-shirt', quantity, total, total_tax, taxes, meta_data: [] }
    const order = ShopOrder.parse({ ...ORDER, line_items: [line] })
    const refunds: ShopRefund[] = []
    for (let piece = 1; piece <= quantity; piece += 1) {
      const [parsed] = order.line_items
      if (!parsed) throw new Error('The order has no line.')
      refunds.push(refundOf(partOf(parsed, 1, refunds, 'NOK')))
    }
    const sum = (amounts: string[]) => amounts.reduce((cents, amount) => cents + Math.round(Number(amount) * 100), 0)
    const lines = refunds.flatMap(({ line_items }) => line_items)
    expect(sum(lines.map((one) => one.total)) + sum([total])).toBe(0)
    expect(sum(lines.flatMap((one) => one.taxes.map((tax) => tax.total))) + sum([total_tax])).toBe(0)
    const amounts = refunds.map(({ amount }) => amount)
    expect(sum(amounts)).toBe(sum([total, total_tax]))
    // The share of each, to the coin that the shop counts in.
    const coin = total.includes('.') ? 1 : 100
    const share = sum([total, total_tax]) / quantity
    for (const amount of amounts) {
      expect(sum([amount]) % coin).toBe(0)
      expect(Math.abs(sum([amount]) - share)).toBeLessThan(quantity * coin)
    }
  })

const ORDER = { id: 1, number: '1', status: 'processing', currency: 'NOK', total: '0.00', meta_data: [] }

/** The refund as the shop shows it afterwards: lines below zero. */
function refundOf(part: ReturnType<typeof partOf>): ShopRefund {
  const tax = part.taxes.map(({ id, amount }) => ({ id, total: `-${amount.amount}` }))
  return ShopRefund.parse({
    id: 1,
    amount: amountOf([part], 'NOK').amount,
    line_items: [
      {
        id: 2,
        quantity: -1,
        total: `-${part.net.amount}`,
        total_tax: '0',
        taxes: tax,
        meta_data: [{ key: '_refunded_item_id', value: '7' }],
      },
    ],
  })
}
