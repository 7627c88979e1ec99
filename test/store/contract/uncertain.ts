import { expect } from 'vitest'
import { claim, claimOne, DELIVERED, deliverAll, FAILED, HOUR, LEASE, settle, settlement, wakeAt } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import type { Check } from '../under-test.ts'

/** A claim is the intent to send: what a hub that dies leaves behind. */
export function uncertain(check: Check): void {
  check('When a hub dies with a once delivery out, then it comes back after its lease, as uncertain', async (the) => {
    await the.store.accept([createArrivals(the.clock).about('order:A1', { once: true })])
    const at = the.clock.now()
    expect((await claimOne(the.store)).delivery).toMatchObject({ once: true, open: false, firstTriedAt: null })
    expect(await the.store.deliveries({})).toMatchObject([{ state: 'claimed', open: true }])
    const store = await the.reopen()
    expect(await claim(store)).toEqual([])
    expect(await wakeAt(store)).toBe(at + LEASE)
    await the.clock.pass(LEASE)
    const { delivery } = await claimOne(store)
    expect(delivery).toMatchObject({
      once: true,
      open: true,
      firstTriedAt: at,
      tries: expect.toSatisfy((tries: number) => tries <= 1),
    })
  })

  check('When a hub dies with a repeatable delivery out, then it comes back by the end of its lease', async (the) => {
    const { about } = createArrivals(the.clock)
    const [verdict] = await the.store.accept([about('a'), about('a')])
    await claimOne(the.store)
    const store = await the.reopen()
    await the.clock.pass(LEASE)
    expect((await claimOne(store)).event.id).toBe(verdict?.id)
  })

  check('When a hub dies with claims out, then what is settled was settled, and nothing is lost', async (the) => {
    const { about } = createArrivals(the.clock)
    const ids = (await the.store.accept([about('a'), about('b', { once: true }), about('a')])).map(({ id }) => id)
    const [a] = await claim(the.store)
    if (a) await settle(the.store, [a], DELIVERED, the.clock.now())
    const store = await the.reopen()
    await the.clock.pass(LEASE)
    expect((await deliverAll(store, the.clock.now())).sort()).toEqual(ids.slice(1))
  })

  check('When a claim is settled after its hub died and another has it, then it is refused', async (the) => {
    await the.store.accept([createArrivals(the.clock).about('a')])
    const lost = await claimOne(the.store)
    const store = await the.reopen()
    await the.clock.pass(LEASE)
    const own = await claimOne(store)
    expect(await store.settle([settlement(lost, DELIVERED, the.clock.now())])).toEqual([false])
    expect(await store.deliveries({})).toMatchObject([{ settledAt: null }])
    expect(await settle(store, [own], DELIVERED, the.clock.now())).toBe(true)
  })

  check('When a once delivery is given back, then it counts as never tried, and through a restart', async (the) => {
    await the.store.accept([createArrivals(the.clock).about('a', { once: true })])
    const before = await claimOne(the.store)
    await the.store.returnClaims([before.fence])
    expect(await the.store.deliveries({})).toMatchObject([{ state: 'waiting', open: false, firstTriedAt: null }])
    const after = await claimOne(the.store)
    expect(after.delivery).toEqual(before.delivery)
    await the.store.returnClaims([after.fence])
    const store = await the.reopen()
    expect((await claimOne(store)).delivery).toEqual(before.delivery)
  })

  check(
    'deliveries that were in flight when their hub died are counted each time, until an outcome of theirs',
    async (the) => {
      const { about } = createArrivals(the.clock)
      await the.store.accept([about('a'), about('b', { once: true }), about('a')])
      const crashesAfterDeath = async () => {
        const store = await the.reopen()
        await the.clock.pass(LEASE)
        const claims = await claim(store)
        return { claims, crashes: claims.map(({ delivery: { entity, crashes } }) => [entity, crashes]).sort() }
      }
      await claim(the.store)
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
      await the.store.settle([{ ...a, crashes: 2 }, b])
      await the.clock.pass(HOUR)
      const again = (await claim(the.store)).map(({ delivery: { entity, crashes: count } }) => [entity, count])
      expect(again.sort()).toEqual([
        ['a', 2],
        ['b', 0],
      ])
      // From then on one counts only where it ran isolated: else it waited for its turn.
      expect((await crashesAfterDeath()).crashes).toEqual([
        ['a', 2],
        ['b', 1],
      ])
      await the.store.markIsolated(a.delivery, null)
      expect((await crashesAfterDeath()).crashes).toEqual([
        ['a', 3],
        ['b', 2],
      ])
    },
  )

  check('of deliveries that run isolated one after another, a death counts for the last alone', async (the) => {
    const { about } = createArrivals(the.clock)
    await the.store.accept([about('a'), about('b'), about('c')])
    for (const _ of ['first', 'second']) {
      await claim(the.store)
      await the.reopen()
      await the.clock.pass(LEASE)
    }
    const [a, b] = (await claim(the.store)).map(({ delivery: { id } }) => id).sort((one, other) => one - other)
    if (a === undefined || b === undefined) throw new Error('all three were claimed')
    await the.store.markIsolated(a, null)
    await the.store.markIsolated(b, a)
    const store = await the.reopen()
    await the.clock.pass(LEASE)
    const crashes = (await claim(store)).map(({ delivery: { entity, crashes: count } }) => `${entity} ${count}`)
    expect(crashes.sort()).toEqual(['a 2', 'b 3', 'c 2'])
  })

  check('a delivery that was given back, or whose outcome is written, was in no hub that dies', async (the) => {
    const { about } = createArrivals(the.clock)
    await the.store.accept([about('a'), about('b', { once: true }), about('c')])
    const claims = await claim(the.store)
    const [first, ...others] = claims
    if (!first) throw new Error('all three were claimed')
    await settle(the.store, [first], FAILED, the.clock.now())
    await the.store.returnClaims(others.map(({ fence }) => fence))
    const store = await the.reopen()
    await the.clock.pass(HOUR)
    expect((await claim(store)).map(({ delivery: { crashes } }) => crashes)).toEqual([0, 0, 0])
  })
}
