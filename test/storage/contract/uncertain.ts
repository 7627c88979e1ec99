import { expect } from 'vitest'
import { claim, claimOne, DELIVERED, deliverAll, FAILED, HOUR, LEASE, settle, settlement, wakeAt } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

/** A claim is the intent to send: what a hub that dies leaves behind. */
export function uncertain(test: StoreTest): void {
  test('When a hub dies with a once delivery out, then it comes back after its lease, as uncertain', async (the) => {
    await the.storage.accept([the.about('order:A1', { once: true })])
    const at = the.clock.now()
    expect((await claimOne(the.storage)).delivery).toMatchObject({ once: true, open: false, firstTriedAt: null })
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'claimed', open: true }])
    const storage = await the.reopen()
    expect(await claim(storage)).toEqual([])
    expect(await wakeAt(storage)).toBe(at + LEASE)
    await the.clock.pass(LEASE)
    const { delivery } = await claimOne(storage)
    expect(delivery).toMatchObject({
      once: true,
      open: true,
      firstTriedAt: at,
      tries: expect.toSatisfy((tries: number) => tries <= 1),
    })
  })

  test('When a hub dies with a repeatable delivery out, then it comes back by the end of its lease', async (the) => {
    const [verdict] = await the.storage.accept([the.about('a'), the.about('a')])
    await claimOne(the.storage)
    const storage = await the.reopen()
    await the.clock.pass(LEASE)
    expect((await claimOne(storage)).event.id).toBe(verdict?.id)
  })

  test('When a hub dies with claims out, then what is settled was settled, and nothing is lost', async (the) => {
    const ids = (await the.storage.accept([the.about('a'), the.about('b', { once: true }), the.about('a')])).map(
      ({ id }) => id,
    )
    const [a] = await claim(the.storage)
    if (a) await settle(the.storage, [a], DELIVERED, the.clock.now())
    const storage = await the.reopen()
    await the.clock.pass(LEASE)
    expect((await deliverAll(storage, the.clock.now())).sort()).toEqual(ids.slice(1))
  })

  test('When a claim is settled after its hub died and another has it, then it is refused', async (the) => {
    await the.storage.accept([the.about('a')])
    const lost = await claimOne(the.storage)
    const storage = await the.reopen()
    await the.clock.pass(LEASE)
    const own = await claimOne(storage)
    expect(await storage.settle([settlement(lost, DELIVERED, the.clock.now())])).toEqual([false])
    expect(await storage.deliveries({})).toMatchObject([{ settledAt: null }])
    expect(await settle(storage, [own], DELIVERED, the.clock.now())).toBe(true)
  })

  test('When a once delivery is released, then it counts as never tried, and through a restart', async (the) => {
    await the.storage.accept([the.about('a', { once: true })])
    const before = await claimOne(the.storage)
    await the.storage.returnClaims([before.fence])
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'waiting', open: false, firstTriedAt: null }])
    const after = await claimOne(the.storage)
    expect(after.delivery).toEqual(before.delivery)
    await the.storage.returnClaims([after.fence])
    const storage = await the.reopen()
    expect((await claimOne(storage)).delivery).toEqual(before.delivery)
  })

  test('deliveries that were in flight when their hub died are counted each time, until an outcome of theirs', async (the) => {
    await the.storage.accept([the.about('a'), the.about('b', { once: true }), the.about('a')])
    const crashesAfterDeath = async () => {
      const storage = await the.reopen()
      await the.clock.pass(LEASE)
      const claims = await claim(storage)
      return { claims, crashes: claims.map(({ delivery: { entity, crashes } }) => [entity, crashes]).sort() }
    }
    await claim(the.storage)
    expect((await crashesAfterDeath()).crashes).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    const { claims, crashes } = await crashesAfterDeath()
    expect(crashes).toEqual([
      ['a', 2],
      ['b', 2],
    ])

    const now = the.clock.now()
    const [a, b] = claims
      .sort((one, other) => one.delivery.id - other.delivery.id)
      .map((one) => settlement(one, FAILED, now))
    if (!a || !b) throw new Error('both were claimed')
    // What says nothing of the delivery leaves the count; any other outcome clears it.
    await the.storage.settle([{ ...a, crashes: 2 }, b])
    await the.clock.pass(HOUR)
    const again = (await claim(the.storage)).map(({ delivery: { entity, crashes: count } }) => [entity, count])
    expect(again.sort()).toEqual([
      ['a', 2],
      ['b', 0],
    ])
    // From then on one counts only where it ran isolated: else it waited for its turn.
    expect((await crashesAfterDeath()).crashes).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    await the.storage.markIsolated(a.delivery, null)
    expect((await crashesAfterDeath()).crashes).toEqual([
      ['a', 3],
      ['b', 2],
    ])
  })

  test('of deliveries that run isolated one after another, a death counts for the last alone', async (the) => {
    await the.storage.accept([the.about('a'), the.about('b'), the.about('c')])
    for (const _ of ['first', 'second']) {
      await claim(the.storage)
      await the.reopen()
      await the.clock.pass(LEASE)
    }
    const [a, b] = (await claim(the.storage)).map(({ delivery: { id } }) => id).sort((one, other) => one - other)
    if (a === undefined || b === undefined) throw new Error('all three were claimed')
    await the.storage.markIsolated(a, null)
    await the.storage.markIsolated(b, a)
    const storage = await the.reopen()
    await the.clock.pass(LEASE)
    const crashes = (await claim(storage)).map(({ delivery: { entity, crashes: count } }) => `${entity} ${count}`)
    expect(crashes.sort()).toEqual(['a 2', 'b 3', 'c 2'])
  })

  test('a delivery that was released, or whose outcome is written, was in no hub that dies', async (the) => {
    await the.storage.accept([the.about('a'), the.about('b', { once: true }), the.about('c')])
    const claims = await claim(the.storage)
    const [first, ...others] = claims
    if (!first) throw new Error('all three were claimed')
    await settle(the.storage, [first], FAILED, the.clock.now())
    await the.storage.returnClaims(others.map(({ fence }) => fence))
    const storage = await the.reopen()
    await the.clock.pass(HOUR)
    expect((await claim(storage)).map(({ delivery: { crashes } }) => crashes)).toEqual([0, 0, 0])
  })
}
