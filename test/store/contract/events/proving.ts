import { expect } from 'vitest'
import type { Arrival } from '../../../../src/store/arrival.ts'
import type { Owed } from '../../../../src/store/owed.ts'
import type { Store } from '../../../../src/store/store.ts'
import {
  BUS,
  claim,
  claimOne,
  DELIVERED,
  deliverAll,
  FAILED,
  HOUR,
  LEASE,
  settle,
  settlement,
  UNCERTAIN,
} from '../../acting.ts'
import { createArrivals, owed } from '../../arrivals.ts'
import type { Check, StoreUnderTest } from '../../under-test.ts'

const READY = 'order/A1/ready'

/** What events prove: it is brought about once, an uncertain one is settled by it, and what is overtaken is known. */
export function proving(check: Check): void {
  owedOnce(check)
  settled(check)
  overtaken(check)

  check('When nothing is owed, and that is right, then the event is routed', async (the) => {
    const { arrival } = createArrivals(the.clock)
    const [quiet, plain] = await the.store.accept([
      arrival({ deliveries: [], quiet: true, proves: [READY] }),
      arrival({ deliveries: [] }),
    ])
    expect([quiet, plain]).toMatchObject([
      { status: 'accepted', unrouted: false },
      { status: 'accepted', unrouted: true },
    ])
    expect(await the.store.events({ state: 'unrouted' })).toMatchObject([{ id: plain?.id }])
  })
}

function owedOnce(check: Check): void {
  check('When two events call for the same effect, then it is owed once, through a restart', async (the) => {
    const first = await accept(the)
    await accept(the)
    expect((await claimOne(the.store)).delivery).toMatchObject({ effect: READY, once: true })
    const store = await the.reopen()
    const { id } = await accept({ ...the, store })
    expect(await store.owe(id, [toTell({ destination: 'bus' })])).toBe(0)
    expect(await store.deliveries({})).toMatchObject([{ event: first.id }])
  })

  check('When another flow brings it about, or there is no effect, then each is owed', async (the) => {
    await accept(the, { deliveries: [toTell(), toTell({ flow: 'email-ready' }), toTell({ flow: 'x', effect: null })] })
    await accept(the, { deliveries: [toTell(), toTell({ flow: 'x', effect: null })] })
    expect(await the.store.deliveries({})).toHaveLength(4)
  })
}

function settled(check: Check): void {
  for (const how of ['wait', 'held', 'a restart later'] as const)
    check(`When an uncertain effect is proven (${how}), then it is delivered, and its entity goes on`, async (the) => {
      await accept(the)
      await leaveUncertain(the, how === 'wait' ? 'find' : 'hold')
      const store = how === 'a restart later' ? await the.reopen() : the.store
      const next = await accept({ ...the, store }, { deliveries: [toTell({ flow: 'next', effect: null })] })
      const { id } = await accept({ ...the, store }, { deliveries: [], proves: [READY] })
      const [, first] = await store.deliveries({ entity: 'order:A1' })
      const why = `proven by event ${id}`
      expect(first).toMatchObject({ state: 'delivered', open: false, code: 'proven', why, settledAt: the.clock.now() })
      const { attempts, effect } = (await store.delivery(first?.id ?? 0)) ?? {}
      expect(effect).toBe(READY)
      expect(attempts?.at(-1)).toEqual({
        at: the.clock.now(),
        ms: 0,
        outcome: 'delivered',
        code: 'proven',
        note: `proven by event ${id}`,
      })
      await the.clock.pass(HOUR)
      expect(await deliverAll(store, the.clock.now())).toEqual([next.id])
    })

  check('When an effect is proven that was not tried, or failed for certain, then it is made', async (the) => {
    await accept(the, { deliveries: [toTell(), toTell({ flow: 'other', entity: 'order:A1/2' })] })
    const [one, other] = await claim(the.store)
    if (one && other) await settle(the.store, [one], FAILED, the.clock.now())
    await the.store.returnClaims([other?.fence ?? 0])
    const { id } = await accept(the, { deliveries: [], proves: [READY] })
    await the.clock.pass(HOUR)
    expect(await deliverAll(the.store, the.clock.now())).toEqual([id - 1, id - 1])
  })

  check('When an effect is proven while it is out, then its own result comes', async (the) => {
    await accept(the)
    const out = await claimOne(the.store)
    await accept(the, { deliveries: [], proves: [READY] })
    expect(await the.store.deliveries({})).toMatchObject([{ state: 'claimed' }])
    expect(await settle(the.store, [out], DELIVERED, the.clock.now())).toBe(true)
    expect(await the.store.deliveries({})).toMatchObject([{ state: 'delivered', code: 'delivered' }])
  })

  check('When an effect is proven while it is out, and it becomes uncertain, then it is delivered', async (the) => {
    await accept(the)
    const out = await claimOne(the.store)
    const { id } = await accept(the, { deliveries: [], proves: [READY] })
    expect(await settle(the.store, [out], UNCERTAIN, the.clock.now())).toBe(false)
    expect(await the.store.delivery(out.delivery.id)).toMatchObject({
      state: 'delivered',
      why: `proven by event ${id}`,
      attempts: [{ outcome: 'unknown' }, { code: 'proven' }],
    })
    const next = await accept(the, { deliveries: [toTell({ flow: 'next', effect: null })] })
    expect(await deliverAll(the.store, the.clock.now())).toEqual([next.id])
  })

  check('When an effect is proven while its uncertain end is being written, then it is delivered', async (the) => {
    await accept(the)
    const out = await claimOne(the.store)
    await Promise.all([
      settle(the.store, [out], UNCERTAIN, the.clock.now()),
      accept(the, { deliveries: [], proves: [READY] }),
    ])
    expect(await the.store.deliveries({})).toMatchObject([{ state: 'delivered', code: 'proven' }])
    expect(await the.store.owed()).toEqual([])
  })

  check(
    'When an uncertain effect is proven while it is out, and it is given back, then it is delivered, and the next one goes out',
    async (the) => {
      await accept(the)
      const { entity } = (await the.store.deliveries({}))[0] ?? {}
      const [next] = await the.store.accept([createArrivals(the.clock).about(entity ?? null)])
      await leaveUncertain(the, 'find')
      await the.clock.pass(HOUR)
      const again = await claimOne(the.store)
      await accept(the, { deliveries: [], proves: [READY] })
      await the.store.returnClaims([again.fence])
      expect(await the.store.deliveries({ state: 'delivered' })).toMatchObject([{ code: 'proven' }])
      expect((await claimOne(the.store)).event.id).toBe(next?.id)
    },
  )

  check('When a hub dies with one out that was proven meanwhile, then the next one knows', async (the) => {
    await accept(the)
    await claimOne(the.store)
    await accept(the, { deliveries: [], proves: [READY] })
    const store = await the.reopen()
    await the.clock.pass(LEASE)
    expect(await claim(store)).toEqual([])
    expect(await store.deliveries({})).toMatchObject([{ state: 'delivered', code: 'proven' }])
  })

  check('When a duplicate, a conflict or a broken arrival says it, then nothing is proven', async (the) => {
    const { arrival } = createArrivals(the.clock)
    const said = arrival({ deliveries: [], payload: 1, identity: 'A', exact: true, facts: null })
    await the.store.accept([said])
    await accept(the)
    await leaveUncertain(the, 'hold')
    const other = arrival({ deliveries: [], payload: 2, identity: 'A', exact: true, proves: [READY] })
    const verdicts = await the.store.accept([
      { ...said, proves: [READY] },
      other,
      arrival({ deliveries: [], problem: 'not JSON', proves: [READY] }),
    ])
    expect(verdicts.map(({ status }) => status)).toEqual(['duplicate', 'conflict', 'quarantined'])
    expect(await the.store.deliveries({})).toMatchObject([{ state: 'held' }])
    await guarded(the, the.store, null)
  })
}

function overtaken(check: Check): void {
  check(
    'When a fact is proven, then it overtakes for good, and the first event that proved it is named',
    async (the) => {
      await guarded(the, the.store, null)
      const { id } = await accept(the, { deliveries: [], proves: ['order/A1/collected'] })
      await accept(the, { deliveries: [], proves: ['order/A1/collected'] })
      await guarded(the, the.store, id)
      const store = await the.reopen()
      await guarded(the, store, id)
    },
  )

  check('When a fact is proven while a delivery waits, then its claim says so, also from the file', async (the) => {
    const unless = ['order/A1/expired', 'order/A1/collected']
    await accept(the, { deliveries: [toTell({ unless }), toTell({ unless, destination: 'bus', flow: 'b' })] })
    await claim(the.store, BUS, { calls: 0 })
    const { id } = await accept(the, { deliveries: [], proves: ['order/A1/collected'] })
    expect((await claimOne(the.store, BUS)).overtaken).toBe(id)
    const store = await the.reopen()
    expect((await claimOne(store)).overtaken).toBe(id)
  })
}

/** A delivery of the effect, as flows about orders owe it. */
function toTell(given: Partial<Owed> = {}): Owed {
  return owed({ flow: 'order-ready', entity: 'order:A1', once: true, effect: READY, ...given })
}

async function accept({ store, clock }: Pick<StoreUnderTest, 'store' | 'clock'>, given: Partial<Arrival> = {}) {
  const [verdict] = await store.accept([
    createArrivals(clock).arrival({ entity: 'order:A1', deliveries: [toTell()], ...given }),
  ])
  if (!verdict) throw new Error('There is no verdict.')
  return verdict
}

/** Nobody knows whether the only delivery had its effect; it waits for a look, or for a person. */
async function leaveUncertain({ store, clock }: StoreUnderTest, then: 'find' | 'hold') {
  await store.settle([settlement(await claimOne(store), UNCERTAIN, clock.now(), then)])
}

/** A delivery of its own is claimed: this event has overtaken it. */
async function guarded({ clock }: StoreUnderTest, store: Store, event: number | null) {
  await store.accept([createArrivals(clock).arrival({ deliveries: [owed({ unless: ['x', 'order/A1/collected'] })] })])
  const claims = await claim(store)
  expect(claims.at(-1)?.overtaken).toBe(event)
  await settle(store, claims, DELIVERED, clock.now())
}
