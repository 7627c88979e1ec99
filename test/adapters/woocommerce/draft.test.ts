import { expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import type { OrdersCall } from '../../../src/ports/ports.ts'
import { act, again } from './given.ts'
import { askShop, orderOf, startWithShop, VAT } from './shop.ts'

const call = (): OrdersCall => ({ port: 'orders', method: 'draft', argument: { ...orderOf(), payments: [] } })

test('When a basket is saved for the online checkout, then the customer gets a link to pay it, at the price of the POS', async () => {
  await using it = await startWithShop({ taxes: VAT })
  const effect = await act(it, call())
  const order = it.order()
  const link = `${it.shop.url}/checkout/order-pay/${order.id}/?pay_for_order=true&key=`
  expect(order).toMatchObject({ status: 'pending', total: '349.00', datePaid: null, paymentMethod: '' })
  expect(order.reported).toEqual([expect.stringContaining(`Pay it here: ${link}`)])
  expect(effect).toEqual({
    links: [{ kind: 'draft', id: 'EA-77', theirId: String(order.id) }],
    note: expect.stringContaining(`order ${order.number}, 349.00 NOK, to be paid at ${link}`),
  })
})

test.each(['drop-answer', 'drop-before', 'error-500-after-save'] as const)(
  'When the shop meets %s, then there is one basket, and one message',
  async (fault) => {
    await using it = await startWithShop()
    it.shop.faults.next(fault, { method: 'POST' })
    await expect(act(it, call())).rejects.toThrow(UnknownOutcomeError)
    if (!(await it.find(again(), call()))) await act(it, call(), again())
    expect(it.order()).toMatchObject({ status: 'pending', total: '349.00', reported: [expect.any(String)] })
  },
)

test('When the customer has paid meanwhile, then a second try leaves the order alone', async () => {
  await using it = await startWithShop()
  await act(it, call())
  await askShop(it.shop, 'PUT', `/orders/${it.order().id}`, { set_paid: true })
  expect(await act(it, call(), again())).toMatchObject({ note: expect.stringContaining('left as it is: processing') })
  expect(it.order().reported).toHaveLength(1)
})
