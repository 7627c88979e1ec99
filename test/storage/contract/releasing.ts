import { expect } from 'vitest'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import {
  by,
  claim,
  claimOne,
  DELIVERED,
  deliverAll,
  FAILED,
  SECOND,
  SHOP,
  settle,
  settlement,
  UNCERTAIN,
} from '../acting.ts'
import { pending } from '../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

const HELD: Outcome = { type: 'held', code: 'unbalanced', why: 'it does not balance' }
const RELEASED = { by: 'kari', reason: 'asked for it' }

/** What is held for what it says, until a person lets it go. */
export function releasing(test: StoreTest): void {
  test('When one that is held is let go, then it goes out, and its claims name who did that and why', async (the) => {
    const { storage, clock } = the
    const id = await held(the)
    expect(await claim(storage)).toEqual([])
    await clock.pass(SECOND)
    expect(await storage.releaseHeld({ id }, by(clock.now()))).toMatchObject({
      matched: 1,
      changed: 1,
      sample: [{ id }],
    })
    expect(await storage.delivery(id)).toMatchObject({
      state: 'waiting',
      dueAt: clock.now(),
      why: null,
      settledAt: null,
    })
    const { delivery } = await claimOne(storage)
    const fresh = { tries: 0, finds: 0, failingSince: null, open: false, urgency: 'prompt' }
    expect(delivery).toMatchObject({ id, ...fresh, released: RELEASED })
    const again = await the.reopen()
    await clock.pass(60 * SECOND)
    const second = await claimOne(again)
    expect(second.delivery).toMatchObject({ id, released: RELEASED })
    await settle(again, [second], FAILED, clock.now())
    await clock.pass(60 * SECOND)
    // A lease that ran out is a try where leases are.
    const tries = second.delivery.tries + 1
    expect((await claimOne(again)).delivery).toMatchObject({ id, tries, released: RELEASED })
  })

  test('When one is let go, then people read who did that, and others are as they were', async (the) => {
    const { storage, clock, about } = the
    const id = await held(the)
    const [other] = await storage.accept([about('other')])
    expect((await claimOne(storage)).delivery.released).toBeNull()
    expect(await storage.delivery(id)).toMatchObject({ state: 'held', released: null, audit: [] })
    await storage.releaseHeld({ id }, { ...by(clock.now()), reason: null })
    const audit = { act: expect.any(Number), at: clock.now(), by: 'kari', action: 'release', reason: null, changed: 1 }
    expect(await storage.delivery(id)).toMatchObject({ released: { by: 'kari', reason: '' }, audit: [audit] })
    const [row] = await storage.deliveries({ event: other?.id ?? 0 })
    expect(await storage.delivery(row?.id ?? 0)).toMatchObject({ released: null, audit: [] })
  })

  test('When one is held because it is uncertain, or is not held, then it is not let go', async (the) => {
    const { storage, clock, about } = the
    await storage.accept([about('uncertain', { once: true }), about('waiting'), about('failed')])
    const claims = await claim(storage)
    const of = (entity: string) => claims.filter(({ delivery }) => delivery.entity === entity)
    await settle(storage, of('uncertain'), UNCERTAIN, clock.now())
    await settle(storage, of('failed'), FAILED, clock.now())
    await storage.returnClaims(of('waiting').map(({ fence }) => fence))
    const before = await storage.deliveries({})
    const id = of('uncertain')[0]?.delivery.id ?? 0
    for (const which of [{}, { id }])
      expect(await storage.releaseHeld(which, by(clock.now()))).toMatchObject({ matched: 0, changed: 0, sample: [] })
    expect(await storage.deliveries({})).toEqual(before)
  })

  test('When a selection is let go, then a dry run counts and changes nothing, and its order stays', async (the) => {
    const { storage, clock, about } = the
    const first = await held(the, 'a')
    const [second] = await storage.accept([about('a')])
    const other = await held(the, 'b')
    await storage.accept([about('c', { once: true })])
    await settle(storage, [await claimOne(storage)], UNCERTAIN, clock.now())
    const which = { destination: 'shop' }
    expect(await storage.releaseHeld(which, by(clock.now(), true))).toMatchObject({ matched: 2, changed: 0 })
    expect(await claim(storage)).toEqual([])
    expect(await storage.releaseHeld({ ...which, entity: 'b' }, by(clock.now()))).toMatchObject({
      matched: 1,
      changed: 1,
    })
    expect((await claimOne(storage)).delivery.id).toBe(other)
    expect(await storage.releaseHeld(which, by(clock.now()))).toMatchObject({ matched: 1, changed: 1 })
    const one = await claimOne(storage)
    expect(one.delivery.id).toBe(first)
    await settle(storage, [one], DELIVERED, clock.now())
    expect(await deliverAll(storage, clock.now())).toEqual([second?.id])
  })

  test('A release by code lets go what is held for that cause, and nothing that is held for another', async (the) => {
    const { storage, clock, about } = the
    const first = await held(the, 'a')
    const second = await held(the, 'b')
    await storage.accept([about('c')])
    await settle(
      storage,
      [await claimOne(storage)],
      { type: 'held', code: 'unknown-word', why: 'it says something else' },
      clock.now(),
    )
    const which = { destination: 'shop', code: 'unbalanced' }
    expect(await storage.deliveries({ ...which, state: 'held' })).toHaveLength(2)
    expect(await storage.releaseHeld(which, by(clock.now(), true))).toMatchObject({ matched: 2, changed: 0 })
    const { act, ...done } = await storage.releaseHeld(which, by(clock.now()))
    expect(done).toMatchObject({ matched: 2, changed: 2 })
    expect((await storage.deliveries({ state: 'waiting' })).map(({ id }) => id).sort()).toEqual([first, second])
    expect(await storage.act(act ?? 0)).toMatchObject({ action: 'release', changed: 2, reason: 'asked for it' })
    expect(await storage.deliveries({ state: 'held' })).toMatchObject([{ code: 'unknown-word' }])
  })
}

/** A once delivery to the shop that is held for what it says. */
async function held({ storage, clock, arrival }: StoreUnderTest, entity = 'a'): Promise<number> {
  await storage.accept([arrival({ entity, deliveries: [pending({ entity, once: true })] })])
  const one = await claimOne(storage, SHOP)
  expect(await storage.settle([settlement(one, HELD, clock.now())])).toEqual([true])
  return one.delivery.id
}
