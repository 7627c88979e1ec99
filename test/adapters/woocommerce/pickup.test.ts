import { describe, expect, test } from 'vitest'
import { UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import type { OrdersCall } from '../../../src/ports/ports.ts'
import { act, again, startWithOrder, updateOf } from './given.ts'
import { askShop } from './shop.ts'

const ready = (number: string): OrdersCall => ({ port: 'orders', method: 'ready', argument: updateOf(number) })
const collected = (number: string): OrdersCall => ({ port: 'orders', method: 'collected', argument: updateOf(number) })
const expire = (number: string): OrdersCall => ({ port: 'orders', method: 'expire', argument: { number, lines: [] } })

const READY = { statuses: { ready: 'ready-for-pickup' } }

describe('it lies ready', () => {
  test('When the shop has a status for it, then the order gets it, and the shop writes to the customer', async () => {
    await using it = await startWithOrder({}, READY)
    await act(it, ready(it.number))
    expect(it.order()).toMatchObject({
      status: 'ready-for-pickup',
      reported: [`Your order ${it.number} is ready for you at Oslo City.`],
    })
  })

  test('When it has none, and the shop is not to write, then people in the shop read it', async () => {
    await using it = await startWithOrder(
      {},
      { tellCustomer: [], texts: { ready: 'Bestilling {number}: klar i {store}' } },
    )
    await act(it, ready(it.number))
    expect(it.order()).toMatchObject({ status: 'processing', reported: [] })
    expect(it.order().notes).toContain(`Bestilling ${it.number}: klar i Oslo City`)
  })

  test.each(['drop-before', 'drop-answer', 'error-500-after-save'] as const)(
    'When the change of the order meets %s, then the customer is told once',
    async (fault) => {
      await using it = await startWithOrder({}, READY)
      it.shop.faults.next(fault, { method: 'PUT' })
      await expect(act(it, ready(it.number))).rejects.toThrow(UnknownOutcomeError)
      await it.lookOrDo(ready(it.number))
      await act(it, ready(it.number), again())
      expect(it.order()).toMatchObject({ status: 'ready-for-pickup', reported: [expect.any(String)] })
    },
  )

  test('When the note is there but its answer is lost, then the customer is told once', async () => {
    await using it = await startWithOrder()
    it.shop.faults.next('drop-answer', { method: 'POST' })
    await expect(act(it, ready(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(ready(it.number))).toBe('done')
    expect(it.order().reported).toHaveLength(1)
  })

  test('When somebody cancelled it in the shop, then nobody is told, and a person hears of it', async () => {
    await using it = await startWithOrder()
    await askShop(it.shop, 'PUT', `/orders/${it.number}`, { status: 'cancelled' })
    await expect(act(it, ready(it.number))).rejects.toMatchObject({ code: 'order-off' })
    await expect(act(it, collected(it.number))).rejects.toMatchObject({ code: 'order-off' })
    expect(it.order().reported).toEqual([])
  })
})

describe('the customer has it', () => {
  test('When it is paid in cash there, then it is completed, and counts as paid', async () => {
    await using it = await startWithOrder({ payment_method: 'cod', set_paid: false, status: 'processing' })
    expect(it.order().datePaid).toBeNull()
    await act(it, collected(it.number))
    expect(it.order()).toMatchObject({ status: 'completed', datePaid: expect.any(String) })
  })

  test.each(['drop-before', 'drop-answer', 'error-500-after-save'] as const)(
    'When the shop meets %s, then it is completed once',
    async (fault) => {
      await using it = await startWithOrder()
      it.shop.faults.next(fault, { method: 'PUT' })
      await expect(act(it, collected(it.number))).rejects.toThrow(UnknownOutcomeError)
      expect(await it.lookOrDo(collected(it.number))).toBe(fault === 'drop-before' ? 'done' : 'found')
      await act(it, collected(it.number), { key: 'a second destination of the same shop' })
      expect(it.order().notes.filter((note) => note.includes('to Completed'))).toHaveLength(1)
    },
  )
})

describe('nobody fetched it', () => {
  test('When it was paid, then all is refunded with shipping, the customer is told, and it is cancelled', async () => {
    await using it = await startWithOrder({
      shipping_lines: [{ method_id: 'local_pickup', method_title: 'Pickup', total: '20.00' }],
    })
    await act(it, expire(it.number))
    expect(it.order()).toMatchObject({
      total: '325.00',
      status: 'cancelled',
      refunds: [{ amount: '325.00', paidBack: true }],
      reported: [`Your order ${it.number} was not collected in time and is cancelled.`],
    })
    expect(it.shop.products().find(({ id }) => id === 11)?.stock).toBe(20)
  })

  test('When it was to be paid in the store, then it is cancelled, and nothing is refunded', async () => {
    await using it = await startWithOrder({ payment_method: 'cod', set_paid: false, status: 'processing' })
    await act(it, expire(it.number))
    await act(it, expire(it.number), again())
    expect(it.order()).toMatchObject({ status: 'cancelled', refunds: [], reported: [expect.any(String)] })
  })

  test('When the customer has it, then it stays, and a person hears of it', async () => {
    await using it = await startWithOrder()
    await act(it, collected(it.number), { key: 'collected' })
    await expect(act(it, expire(it.number))).rejects.toMatchObject({ code: 'order-completed' })
    expect(it.order()).toMatchObject({ status: 'completed', refunds: [] })
  })

  test('When a person has cancelled it, then it is left as it is', async () => {
    await using it = await startWithOrder()
    await askShop(it.shop, 'PUT', `/orders/${it.number}`, { status: 'cancelled' })
    expect(await act(it, expire(it.number))).toMatchObject({ note: expect.stringContaining('left as it is') })
    expect(it.order()).toMatchObject({ refunds: [], reported: [] })
  })

  test.each([
    ['drop-answer', 'POST'],
    ['drop-before', 'PUT'],
    ['drop-answer', 'PUT'],
    ['error-500-after-save', 'PUT'],
  ] as const)('When %s strikes a %s, then each step is done once', async (fault, method) => {
    await using it = await startWithOrder()
    it.shop.faults.next(fault, { method })
    await expect(act(it, expire(it.number))).rejects.toThrow(UnknownOutcomeError)
    expect(await it.lookOrDo(expire(it.number))).toBe('found')
    expect(it.order()).toMatchObject({
      status: 'cancelled',
      refunds: [{ amount: '300.00', paidBack: true }],
      reported: [expect.any(String)],
    })
  })
})
