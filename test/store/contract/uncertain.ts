import { expect } from 'vitest'
import { claim, claimOne, DELIVERED, deliverAll, LEASE, settle, settlement, wakeAt } from '../acting.ts'
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
}
