import { describe, expect, test } from 'vitest'
import { RetryLaterError, UnfinishedLookError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { startLossyProxy } from '../../../test/adapters/lossy-proxy.ts'
import { eventually } from '../../../test/eventually.ts'
import { adapterAt, askShop, emptyOrder, orderOf, startWithShop, type WithShop } from './kit.ts'

const again = () => ({ previous: 'open' as const, firstTriedAt: Date.now() - 60_000 })
const failedOnce = () => ({ previous: 'failed' as const, firstTriedAt: Date.now() - 60_000 })

/** What the worker does with an open delivery: it looks, and calls only where nothing is there. */
async function lookOrCreate(it: WithShop) {
  return (await it.find(again())) ?? (await it.create(orderOf(), again()))
}

function expectOnePaid(it: WithShop) {
  expect(it.order()).toMatchObject({ status: 'processing', total: '349.00', datePaid: expect.any(String) })
  expect(it.order().lines).toHaveLength(1)
}

describe('the order is there once', () => {
  test('When the connection breaks before the shop did anything, then nothing is found, and it is created', async () => {
    await using it = await startWithShop()
    it.shop.faults.next('drop-before', { method: 'POST' })
    await expect(it.create()).rejects.toThrow(UnknownOutcomeError)
    expect(await it.find(again())).toBeNull()
    await lookOrCreate(it)
    expectOnePaid(it)
  })

  for (const point of ['start', 'saved', 'answer'] as const)
    test(`When the client goes while the shop works (${point}), then the order is found and made whole`, async () => {
      await using it = await startWithShop()
      const client = new AbortController()
      it.shop.faults.hold(point)
      const gone = it.create(orderOf(), { signal: client.signal })
      await eventually(() => it.shop.faults.held === 1)
      client.abort()
      await expect(gone).rejects.toThrow(UnknownOutcomeError)
      it.shop.faults.release()
      await eventually(() => it.shop.orders().length === 1)
      const effect = await it.find(again())
      expect(effect?.links).toEqual([{ kind: 'order', id: 'pos:EA-77', theirId: String(it.order().id) }])
      expectOnePaid(it)
    })

  for (const fault of ['drop-answer', 'half-answer', 'drop-after-save', 'error-500-after-save'] as const)
    test(`When the order is there but the answer is not (${fault}), then it is unknown, found and paid`, async () => {
      await using it = await startWithShop()
      it.shop.faults.next(fault, { method: 'POST' })
      await expect(it.create(orderOf())).rejects.toThrow(UnknownOutcomeError)
      await lookOrCreate(it)
      expectOnePaid(it)
    })

  for (const fault of ['drop-before', 'drop-answer', 'half-answer', 'error-500-before', 'error-503'] as const)
    test(`When it is the payment that fails (${fault}), then the next try pays the same order, with its transaction`, async () => {
      await using it = await startWithShop()
      it.shop.faults.next(fault, { method: 'PUT' })
      const order = { ...orderOf(), transactionId: 'TX-1' }
      await expect(it.create(order)).rejects.toThrow()
      // 503 counts on no schedule: the worker then says that no try came before, but when the first one was.
      await it.create(order, { previous: 'none', firstTriedAt: Date.now() - 5_000 })
      expectOnePaid(it)
      expect(it.order().transactionId).toBe('TX-1')
    })

  test('When the note for a person fails, then the order is not paid before the note is there', async () => {
    await using it = await startWithShop({ products: [] })
    it.shop.faults.next('error-500-before', { method: 'GET' })
    await expect(it.create()).rejects.toThrow(RetryLaterError)
    expect(it.shop.orders()).toEqual([])
    const client = new AbortController()
    it.shop.faults.hold('answer')
    const gone = it.create(orderOf(), { signal: client.signal })
    await eventually(() => it.shop.faults.held === 1)
    it.shop.faults.next('drop-before', { method: 'POST' })
    it.shop.faults.release()
    await expect(gone).rejects.toThrow(UnknownOutcomeError)
    expect(it.order().status).toBe('pending')
    await it.find(again())
    expect(it.order().status).toBe('processing')
    expect(it.order().notes.filter((note) => note.includes('no product'))).toHaveLength(1)
  })

  test('When an earlier try failed for certain, then create looks before it creates', async () => {
    await using it = await startWithShop()
    await it.create()
    await it.create(orderOf(), failedOnce())
    expectOnePaid(it)
  })
})

describe('looking for an order', () => {
  test('When it is behind two full pages of others, then it is found', async () => {
    await using it = await startWithShop()
    const keys = Array.from({ length: 205 }, (_, index) => `other:${index}`)
    for (const key of keys) await it.create(emptyOrder(), { key })
    const { links } = await it.create(orderOf(), { key: 'mine' })
    expect((await it.find({ ...again(), key: 'mine' }))?.links).toEqual(links)
    expect(await it.find({ ...again(), key: 'none' })).toBeNull()
  })

  test('When one page of many cannot be read, then the next look goes on near it, and finds it', async () => {
    await using it = await startWithShop()
    for (let no = 0; no < 405; no += 1) await it.create(emptyOrder(), { key: `other:${no}` })
    const { links } = await it.create(orderOf(), { key: 'mine' })
    await using proxy = await startLossyProxy(it.shop.url)
    await using through = await looking(proxy.url)
    const pages = () => proxy.asked.splice(0).map((address) => new URL(address, proxy.url).searchParams.get('page'))
    proxy.lose('&page=4&')
    await expect(through.find({ key: 'mine' })).rejects.toThrow(UnfinishedLookError)
    expect(pages()).toEqual(['1', '2', '3', '4'])
    // Its last page is read again as well: what came meanwhile is at the end.
    expect((await through.find({ key: 'mine' }))?.links).toEqual(links)
    expect(pages().slice(0, 3)).toEqual(['3', '4', '5'])
    expect((await through.find({ key: 'mine' }))?.links).toEqual(links)
    expect(pages().slice(0, 2)).toEqual(['1', '2'])
  })

  test('When the look failed in the trash, and the order came meanwhile, then it is found all the same', async () => {
    await using it = await startWithShop()
    for (let no = 0; no < 205; no += 1) await it.create(emptyOrder(), { key: `other:${no}` })
    await using proxy = await startLossyProxy(it.shop.url)
    await using through = await looking(proxy.url)
    proxy.lose('status=trash')
    await expect(through.find({ key: 'mine' })).rejects.toThrow(UnfinishedLookError)
    const { links } = await it.create(orderOf(), { key: 'mine' })
    expect((await through.find({ key: 'mine' }))?.links).toEqual(links)
  })

  test('When the clock of the shop is five minutes behind and in another zone, then it is found', async () => {
    await using it = await startWithShop({ now: () => Date.now() - 5 * 60_000, timeZone: 'America/New_York' })
    await it.create()
    expect(await it.find({ previous: 'open', firstTriedAt: Date.now() })).not.toBeNull()
  })

  test('When a person has cancelled it meanwhile, then it is neither paid nor made anew', async () => {
    await using it = await startWithShop()
    it.shop.faults.next('drop-after-save', { method: 'POST' })
    await expect(it.create()).rejects.toThrow(UnknownOutcomeError)
    await setStatus(it, 'cancelled')
    expect((await lookOrCreate(it)).note).toMatch(/, left as it is: cancelled, not paid$/)
    expect(it.order()).toMatchObject({ status: 'cancelled', datePaid: null })
  })

  test('When the shop cannot be read, then looking fails and says nothing about the order', async () => {
    await using it = await startWithShop()
    it.shop.faults.next('drop-before', { method: 'GET' })
    await expect(it.find(again())).rejects.toThrow(RetryLaterError)
    await it.shop.faults.down(true)
    await expect(it.find(again())).rejects.toMatchObject({ scope: 'destination' })
  })
})

async function setStatus(it: WithShop, status: string): Promise<void> {
  await askShop(it.shop, 'PUT', `/orders/${it.order().id}`, { status })
}

async function looking(url: string) {
  const instance = adapterAt(url)
  const call = { port: 'orders' as const, method: 'create' as const, argument: orderOf() }
  return {
    find: async (given: { key: string }) =>
      (await instance.ports.orders?.find?.(attempt({ ...again(), ...given }), call)) ?? null,
    [Symbol.asyncDispose]: async () => await instance[Symbol.asyncDispose](),
  }
}
