import { expect } from 'vitest'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { ClaimResult } from '../../../src/storage/claim.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { by, claim, claimOne, DELIVERED, FAILED, REFUSED, SECOND, settle, settlement, UNCERTAIN } from '../acting.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

const LINK = { kind: 'order', id: 'A1', destination: 'shop', theirId: '99' }

/** What an attempt leaves behind, and who may write it. */
export function settling(test: StoreTest): void {
  test('When an attempt has ended, then the row and the attempt say how, through a restart', async (the) => {
    const outcomes: [Outcome, object][] = [
      [
        { ...DELIVERED, note: 'created 99' },
        { state: 'delivered', open: false, tries: 0, why: null },
      ],
      [FAILED, { state: 'waiting', open: false, tries: 1, why: 'it said 500', code: 'http-500' }],
      [
        { ...FAILED, scope: 'destination' },
        { state: 'waiting', tries: 0 },
      ],
      [REFUSED, { state: 'dead', open: false, why: 'it said 400', code: 'http-400' }],
      [UNCERTAIN, { state: 'held', open: true, why: 'uncertain: no answer', code: 'timeout' }],
    ]
    const now = the.clock.now()
    const said = new Map<number, object>()
    await the.storage.accept(outcomes.map(() => the.about(null)))
    for (const [index, one] of (await claim(the.storage)).entries()) {
      const [outcome, row] = outcomes[index] ?? [DELIVERED, {}]
      const { attempt, next } = settlement(one, outcome, now)
      expect(await settle(the.storage, [one], outcome, now)).toBe(true)
      const settledAt = next.state === 'delivered' || next.state === 'dead' ? now : null
      said.set(one.delivery.id, { ...row, dueAt: next.dueAt, firstTriedAt: now, settledAt, attempts: [attempt] })
    }
    expect(said.size).toBe(outcomes.length)
    const storage = await the.reopen()
    for (const [id, row] of said) expect(await storage.delivery(id)).toMatchObject(row)
  })

  test('When a delivery was tried before, then its next claim knows', async (the) => {
    const one = await claimed(the)
    const at = the.clock.now()
    await settle(the.storage, [one], FAILED, at)
    await the.clock.pass(10 * SECOND)
    const known = { tries: 1, failingSince: at, firstTriedAt: at, open: false }
    const second = await claimOne(the.storage)
    expect(second.delivery).toMatchObject(known)
    await the.storage.returnClaims([second.fence])
    expect((await claimOne(await the.reopen())).delivery).toMatchObject(known)
  })

  test('When a delivery proves links, then they are known, once each', async (the) => {
    const one = await claimed(the)
    await settle(the.storage, [one], { ...DELIVERED, links: [LINK, LINK] }, the.clock.now())
    expect(await the.storage.links('shop', 'order', ['A1'])).toEqual([LINK])
    expect(await the.storage.links('shop', 'order', [])).toEqual([])
  })

  test('When claims of several queues are settled together, then each has its own answer', async (the) => {
    const one = await claimed(the)
    const other = await claimed(the)
    const foreign = settlement({ ...one, fence: other.fence + 1_000 }, DELIVERED, the.clock.now())
    const results = [settlement(one, DELIVERED, the.clock.now()), foreign, settlement(other, REFUSED, the.clock.now())]
    expect(await the.storage.settle(results)).toEqual([true, false, true])
    expect((await the.storage.deliveries({})).map(({ state }) => state).sort()).toEqual(['dead', 'delivered'])
    expect(await the.storage.settle([])).toEqual([])
  })

  const twice: ((storage: Storage, result: ClaimResult) => Promise<boolean[]>)[] = [
    async (storage, result) => [...(await storage.settle([result])), ...(await storage.settle([result]))],
    (storage, result) => storage.settle([result, result]),
    async (storage, result) => (await Promise.all([storage.settle([result]), storage.settle([result])])).flat(),
  ]
  test('When a claim is settled again, later, in the same list or meanwhile, then it is refused', async (the) => {
    for (const settleTwice of twice) {
      const one = await claimed(the)
      expect(await settleTwice(the.storage, settlement(one, FAILED, the.clock.now()))).toEqual([true, false])
      expect((await the.storage.delivery(one.delivery.id))?.attempts).toHaveLength(1)
    }
    await the.clock.pass(10 * SECOND)
    expect(await claim(the.storage)).toHaveLength(3)
  })

  test('When a fence is shown for another delivery, then it is refused', async (the) => {
    const one = await claimed(the)
    const other = await claimed(the)
    const mixed = settlement({ ...one, fence: other.fence }, DELIVERED, the.clock.now())
    expect(await the.storage.settle([mixed])).toEqual([false])
    expect(await settle(the.storage, [one, other], DELIVERED, the.clock.now())).toBe(true)
  })

  test('When a person skips a delivery that is out, then its result is refused, but what happened is kept', async (the) => {
    const one = await claimed(the)
    await the.storage.skip({ id: one.delivery.id }, by(the.clock.now()))
    const result = settlement(one, { ...DELIVERED, links: [LINK] }, the.clock.now())
    expect(await the.storage.settle([result])).toEqual([false])
    expect(await the.storage.settle([result]), 'and it is written down once').toEqual([false])
    expect(await the.storage.delivery(one.delivery.id)).toMatchObject({
      state: 'skipped',
      attempts: [result.attempt],
    })
    expect(await the.storage.links('shop', 'order', ['A1'])).toEqual([LINK])
    expect(await claim(the.storage)).toEqual([])
    await claimed(the)
  })

  test('When a once delivery is skipped while it is out, then it is not made again', async (the) => {
    await the.storage.accept([the.about('a', { once: true })])
    const one = await claimOne(the.storage)
    await the.storage.skip({}, by(the.clock.now()))
    expect(await settle(the.storage, [one], FAILED, the.clock.now())).toBe(false)
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'skipped' }])
  })
}

/** A claim of a new delivery of its own entity. */
async function claimed({ storage, about }: StoreUnderTest) {
  await storage.accept([about(`order:${Math.random()}`)])
  return await claimOne(storage)
}
