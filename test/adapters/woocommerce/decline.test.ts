import { describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import type { OrdersCall } from '../../../src/ports/ports.ts'
import { act, again, declined, lineOf, startWithOrder } from './given.ts'
import { askShop } from './shop.ts'

const decline = (argument: ReturnType<typeof declined>): OrdersCall => ({ port: 'orders', method: 'decline', argument })

const IN_STORE = { payment_method: 'cod', set_paid: false, status: 'processing' }

describe('goods that the store does not have', () => {
  test('When they were paid, then they are paid back, and the customer is told which', async () => {
    await using it = await startWithOrder()
    const effect = await act(it, decline(declined(it.number, 2)))
    expect(effect).toEqual({ note: `order ${it.number}, 2 × T-shirt declined: 200.00 NOK paid back` })
    expect(it.order()).toMatchObject({
      status: 'processing',
      refunds: [{ amount: '200.00', paidBack: true, reason: expect.stringMatching(/^Not available: 2 × T-shirt \[/) }],
      reported: [`We are sorry: of your order ${it.number}, we cannot deliver 2 × T-shirt.`],
    })
  })

  test('When they are declined piece by piece, then each piece is paid back once', async () => {
    await using it = await startWithOrder()
    for (const key of ['first', 'second', 'second']) await act(it, decline(declined(it.number)), { ...again(), key })
    expect(it.order().refunds.map(({ amount }) => amount)).toEqual(['100.00', '100.00'])
  })

  test('When they are to be paid in the store, then they are taken off the order', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, decline(declined(it.number)))
    await act(it, decline(declined(it.number)), again())
    expect(it.order()).toMatchObject({
      status: 'processing',
      total: '200.00',
      lines: [{ quantity: 2, total: '160.00', totalTax: '40.00' }],
      refunds: [],
      reported: [expect.any(String)],
    })
  })

  test('When a plugin for payments in the store dates them before, then nothing is paid back all the same', async () => {
    await using it = await startWithOrder({ payment_method: 'in_store' }, { payInStore: ['in_store'] })
    expect(it.order().datePaid).not.toBeNull()
    await act(it, decline(declined(it.number)))
    expect(it.order()).toMatchObject({ total: '200.00', refunds: [] })
  })

  test('When a whole line is declined before it is paid, then it is gone, and the try after knows it', async () => {
    const lines = [
      { product_id: 11, quantity: 1 },
      { product_id: 12, quantity: 1 },
    ]
    await using it = await startWithOrder({ ...IN_STORE, line_items: lines })
    it.shop.faults.next('drop-answer', { method: 'PUT' })
    await expect(act(it, decline(declined(it.number)))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(decline(declined(it.number)))).toBe('found')
    expect(it.order()).toMatchObject({ lines: [{ name: 'Cap' }], reported: [expect.stringContaining('1 × ')] })
  })

  test('When the word comes only after the customer has fetched and paid the rest, then they are taken off; of an order of nothing, nobody but a person does it', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, { port: 'orders', method: 'collected', argument: declined(it.number).order })
    await act(it, decline(declined(it.number)))
    expect(it.order()).toMatchObject({ status: 'completed', total: '200.00', refunds: [] })
    await expect(act(it, decline(declined(it.number, 2)), { ...again(), key: 'the rest' })).rejects.toMatchObject({
      code: 'cannot-pay-back',
    })
    expect(it.order()).toMatchObject({ status: 'completed', total: '200.00', refunds: [] })
  })

  test('When nothing would be left to pay for, then the order is cancelled', async () => {
    await using it = await startWithOrder(IN_STORE)
    await act(it, decline(declined(it.number, 3)))
    expect(it.order()).toMatchObject({ status: 'cancelled', lines: [{ quantity: 3 }], refunds: [] })
  })

  test.each([{}, IN_STORE])('When somebody cancelled the order (%o), then it is left as it is', async (order) => {
    await using it = await startWithOrder(order)
    await askShop(it.shop, 'PUT', `/orders/${it.number}`, { status: 'cancelled' })
    await act(it, decline(declined(it.number)))
    expect(it.order()).toMatchObject({ status: 'cancelled', total: '300.00', refunds: [], reported: [] })
  })

  test.each([{}, IN_STORE])('When more is declined than was ordered (%o), then it is refused', async (order) => {
    await using it = await startWithOrder(order)
    await expect(act(it, decline(declined(it.number, 4)))).rejects.toThrow('3 were ordered')
    await expect(act(it, decline(declined(it.number, 1, lineOf({ gtin: '1' }))))).rejects.toMatchObject({
      code: 'no-such-line',
    })
    expect(it.order()).toMatchObject({ refunds: [], reported: [], total: '300.00' })
  })

  test.each([
    ['drop-answer', 'found'],
    ['drop-before', 'done'],
  ] as const)('When the refund meets %s, then it is %s, once, and the customer is told once', async (fault, next) => {
    await using it = await startWithOrder()
    it.shop.faults.next(fault, { method: 'POST' })
    await expect(act(it, decline(declined(it.number)))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(decline(declined(it.number)))).toBe(next)
    expect(it.order()).toMatchObject({ refunds: [{ paidBack: true }], reported: [expect.any(String)] })
  })
})
