import { describe, expect, test } from 'vitest'
import type { Fault } from '../../../sandbox/shop/shop.ts'
import { eventually } from '../../eventually.ts'
import { givenShop, paidOrder } from './given.ts'

describe('a fault', () => {
  test.each<[Fault, number]>([
    ['error-500-after-save', 500],
    ['drop-after-save', 0],
  ])('when the shop has %s, then the order is there, and nobody has paid it', async (fault, status) => {
    await using shop = await givenShop()
    shop.faults.next(fault)

    const looked = await shop.get('/orders')
    const answer = await shop.post('/orders', paidOrder()).catch(() => ({ status: 0 }))

    expect(looked.status).toBe(200)
    expect(answer.status).toBe(status)
    expect(shop.orders()).toMatchObject([{ status: 'pending', datePaid: null, total: '2500.00', transactionId: 'T-1' }])
    expect(shop.products()[0]?.stock).toBe(10)
  })

  test.each<[Fault, number]>([
    ['drop-before', 0],
    ['error-500-before', 500],
    ['error-503', 503],
  ])('when the shop has %s, then nothing was done, and the next request works', async (fault, status) => {
    await using shop = await givenShop()
    shop.faults.next(fault, { method: 'POST' })

    const answer = await shop.post('/orders', paidOrder()).catch(() => ({ status: 0 }))

    expect(answer.status).toBe(status)
    expect(shop.orders()).toEqual([])
    expect((await shop.post('/orders', paidOrder())).status).toBe(201)
  })

  test.each<[Fault]>([['drop-answer'], ['half-answer']])(
    'when the shop has %s, then the order is paid, and the client does not know',
    async (fault) => {
      await using shop = await givenShop()
      shop.faults.next(fault)

      await expect(shop.post('/orders', paidOrder())).rejects.toThrow()

      expect(shop.orders()).toMatchObject([{ status: 'processing' }])
    },
  )

  test('when a fault is for several times, then it comes so often', async () => {
    await using shop = await givenShop()
    shop.faults.next('error-503', { times: 2 })

    const statuses = []
    for (let count = 0; count < 3; count++) statuses.push((await shop.get('/orders')).status)

    expect(statuses).toEqual([503, 503, 200])
  })
})

describe('a shop that is down', () => {
  test('when it is down, then it refuses connections, and comes back on its port with its orders', async () => {
    await using shop = await givenShop()
    await shop.post('/orders', paidOrder())

    await shop.faults.down(true)
    await expect(shop.get('/orders')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await shop.faults.down(false)

    expect((await shop.get('/orders')).json).toHaveLength(1)
  })
})

describe('a shop that is held', () => {
  test('when the client dies while the shop works, then the shop makes the order nevertheless', async () => {
    await using shop = await givenShop()
    shop.faults.hold()
    const sent = shop.post('/orders', paidOrder()).catch(() => 'died')
    await eventually(() => shop.faults.held === 1)
    expect(shop.orders()).toEqual([])

    await shop.faults.down(true)
    expect(await sent).toBe('died')
    shop.faults.release()

    await eventually(() => shop.orders().length === 1)
    expect(shop.orders()).toMatchObject([{ status: 'processing' }])
  })

  test('when it is held between save and payment, then others see the unpaid order meanwhile', async () => {
    await using shop = await givenShop()
    shop.faults.hold('saved')
    const sent = shop.post('/orders', paidOrder())
    await eventually(() => shop.faults.held === 1)

    expect((await shop.get('/orders?search=T-1')).json).toMatchObject([{ status: 'pending' }])
    shop.faults.release()

    expect((await sent).json).toMatchObject({ status: 'processing' })
    expect(shop.faults.held).toBe(0)
  })

  test('when it is held with all done, then the answer is late, and the order is paid before', async () => {
    await using shop = await givenShop()
    shop.faults.hold('answer')
    const sent = shop.post('/orders', paidOrder())
    await eventually(() => shop.faults.held === 1)

    expect(shop.orders()).toMatchObject([{ status: 'processing' }])
    shop.faults.release()

    expect((await sent).status).toBe(201)
  })

  test('when the shop ends while it holds a request, then that request breaks, and nothing was done', async () => {
    const shop = await givenShop()
    shop.faults.hold()
    const sent = shop.post('/orders', paidOrder()).catch(() => 'broken')
    await eventually(() => shop.faults.held === 1)

    await shop[Symbol.asyncDispose]()

    expect(await sent).toBe('broken')
    expect(shop.orders()).toEqual([])
  })
})
