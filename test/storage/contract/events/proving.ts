import { expect } from 'vitest'
import type { Arrival, NewDelivery } from '../../../../src/storage/arrival.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
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
import { pending } from '../../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

const READY = 'order/A1/ready'

/** What events prove: it is brought about once, an uncertain one is settled by it, and what is invalidated is known. */
export function proving(test: StoreTest): void {
  pendingOnce(test)
  settled(test)
  invalidated(test)

  test('When nothing is owed, and that is right, then the event is routed', async (the) => {
    const [quiet, plain] = await the.storage.accept([
      the.arrival({ deliveries: [], quiet: true, proves: [READY] }),
      the.arrival({ deliveries: [] }),
    ])
    expect([quiet, plain]).toMatchObject([
      { status: 'accepted', unrouted: false },
      { status: 'accepted', unrouted: true },
    ])
    expect(await the.storage.events({ state: 'unrouted' })).toMatchObject([{ id: plain?.id }])
  })
}

function pendingOnce(test: StoreTest): void {
  test('When two events call for the same effect, then it is owed once, through a restart', async (the) => {
    const first = await accept(the)
    await accept(the)
    expect((await claimOne(the.storage)).delivery).toMatchObject({ effect: READY, once: true })
    const storage = await the.reopen()
    const { id } = await accept({ ...the, storage })
    expect(await storage.enqueue(id, [toTell({ destination: 'bus' })])).toBe(0)
    expect(await storage.deliveries({})).toMatchObject([{ event: first.id }])
  })

  test('When another flow brings it about, or there is no effect, then each is owed', async (the) => {
    await accept(the, { deliveries: [toTell(), toTell({ flow: 'email-ready' }), toTell({ flow: 'x', effect: null })] })
    await accept(the, { deliveries: [toTell(), toTell({ flow: 'x', effect: null })] })
    expect(await the.storage.deliveries({})).toHaveLength(4)
  })
}

function settled(test: StoreTest): void {
  for (const how of ['wait', 'held', 'a restart later'] as const)
    test(`When an uncertain effect is proven (${how}), then it is delivered, and its entity goes on`, async (the) => {
      await accept(the)
      await leaveUncertain(the, how === 'wait' ? 'find' : 'hold')
      const storage = how === 'a restart later' ? await the.reopen() : the.storage
      const next = await accept({ ...the, storage }, { deliveries: [toTell({ flow: 'next', effect: null })] })
      const { id } = await accept({ ...the, storage }, { deliveries: [], proves: [READY] })
      const [, first] = await storage.deliveries({ entity: 'order:A1' })
      const why = `proven by event ${id}`
      expect(first).toMatchObject({ state: 'delivered', open: false, code: 'proven', why, settledAt: the.clock.now() })
      const { attempts, effect } = (await storage.delivery(first?.id ?? 0)) ?? {}
      expect(effect).toBe(READY)
      expect(attempts?.at(-1)).toEqual({
        at: the.clock.now(),
        ms: 0,
        outcome: 'delivered',
        code: 'proven',
        note: `proven by event ${id}`,
      })
      await the.clock.pass(HOUR)
      expect(await deliverAll(storage, the.clock.now())).toEqual([next.id])
    })

  test('When an effect is proven that was not tried, or failed for certain, then it is made', async (the) => {
    await accept(the, { deliveries: [toTell(), toTell({ flow: 'other', entity: 'order:A1/2' })] })
    const [one, other] = await claim(the.storage)
    if (one && other) await settle(the.storage, [one], FAILED, the.clock.now())
    await the.storage.returnClaims([other?.fence ?? 0])
    const { id } = await accept(the, { deliveries: [], proves: [READY] })
    await the.clock.pass(HOUR)
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([id - 1, id - 1])
  })

  test('When an effect is proven while it is out, then its own result comes', async (the) => {
    await accept(the)
    const out = await claimOne(the.storage)
    await accept(the, { deliveries: [], proves: [READY] })
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'claimed' }])
    expect(await settle(the.storage, [out], DELIVERED, the.clock.now())).toBe(true)
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'delivered', code: 'delivered' }])
  })

  test('When an effect is proven while it is out, and it becomes uncertain, then it is delivered', async (the) => {
    await accept(the)
    const out = await claimOne(the.storage)
    const { id } = await accept(the, { deliveries: [], proves: [READY] })
    expect(await settle(the.storage, [out], UNCERTAIN, the.clock.now())).toBe(false)
    expect(await the.storage.delivery(out.delivery.id)).toMatchObject({
      state: 'delivered',
      why: `proven by event ${id}`,
      attempts: [{ outcome: 'unknown' }, { code: 'proven' }],
    })
    const next = await accept(the, { deliveries: [toTell({ flow: 'next', effect: null })] })
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([next.id])
  })

  test('When an effect is proven while its uncertain end is being written, then it is delivered', async (the) => {
    await accept(the)
    const out = await claimOne(the.storage)
    await Promise.all([
      settle(the.storage, [out], UNCERTAIN, the.clock.now()),
      accept(the, { deliveries: [], proves: [READY] }),
    ])
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'delivered', code: 'proven' }])
    expect(await the.storage.pending()).toEqual([])
  })

  test('When an uncertain effect is proven while it is out, and it is released, then it is delivered, and the next one goes out', async (the) => {
    await accept(the)
    const { entity } = (await the.storage.deliveries({}))[0] ?? {}
    const [next] = await the.storage.accept([the.about(entity ?? null)])
    await leaveUncertain(the, 'find')
    await the.clock.pass(HOUR)
    const again = await claimOne(the.storage)
    await accept(the, { deliveries: [], proves: [READY] })
    await the.storage.returnClaims([again.fence])
    expect(await the.storage.deliveries({ state: 'delivered' })).toMatchObject([{ code: 'proven' }])
    expect((await claimOne(the.storage)).event.id).toBe(next?.id)
  })

  test('When a hub dies with one out that was proven meanwhile, then the next one knows', async (the) => {
    await accept(the)
    await claimOne(the.storage)
    await accept(the, { deliveries: [], proves: [READY] })
    const storage = await the.reopen()
    await the.clock.pass(LEASE)
    expect(await claim(storage)).toEqual([])
    expect(await storage.deliveries({})).toMatchObject([{ state: 'delivered', code: 'proven' }])
  })

  test('When a duplicate, a conflict or a broken arrival says it, then nothing is proven', async (the) => {
    const said = the.arrival({ deliveries: [], payload: 1, identity: 'A', exact: true, facts: null })
    await the.storage.accept([said])
    await accept(the)
    await leaveUncertain(the, 'hold')
    const other = the.arrival({ deliveries: [], payload: 2, identity: 'A', exact: true, proves: [READY] })
    const verdicts = await the.storage.accept([
      { ...said, proves: [READY] },
      other,
      the.arrival({ deliveries: [], problem: 'not JSON', proves: [READY] }),
    ])
    expect(verdicts.map(({ status }) => status)).toEqual(['duplicate', 'conflict', 'quarantined'])
    expect(await the.storage.deliveries({})).toMatchObject([{ state: 'held' }])
    await guarded(the, the.storage, null)
  })
}

function invalidated(test: StoreTest): void {
  test('When a fact is proven, then it overtakes for good, and the first event that proved it is named', async (the) => {
    await guarded(the, the.storage, null)
    const { id } = await accept(the, { deliveries: [], proves: ['order/A1/collected'] })
    await accept(the, { deliveries: [], proves: ['order/A1/collected'] })
    await guarded(the, the.storage, id)
    const storage = await the.reopen()
    await guarded(the, storage, id)
  })

  test('When a fact is proven while a delivery waits, then its claim says so, also from the file', async (the) => {
    const unless = ['order/A1/expired', 'order/A1/collected']
    await accept(the, { deliveries: [toTell({ unless }), toTell({ unless, destination: 'bus', flow: 'b' })] })
    await claim(the.storage, BUS, { calls: 0 })
    const { id } = await accept(the, { deliveries: [], proves: ['order/A1/collected'] })
    expect((await claimOne(the.storage, BUS)).invalidated).toBe(id)
    const storage = await the.reopen()
    expect((await claimOne(storage)).invalidated).toBe(id)
  })
}

/** A delivery of the effect, as flows about orders owe it. */
function toTell(given: Partial<NewDelivery> = {}): NewDelivery {
  return pending({ flow: 'order-ready', entity: 'order:A1', once: true, effect: READY, ...given })
}

async function accept({ storage, arrival }: Pick<StoreUnderTest, 'storage' | 'arrival'>, given: Partial<Arrival> = {}) {
  const [verdict] = await storage.accept([arrival({ entity: 'order:A1', deliveries: [toTell()], ...given })])
  if (!verdict) throw new Error('There is no verdict.')
  return verdict
}

/** Nobody knows whether the only delivery had its effect; it waits for a look, or for a person. */
async function leaveUncertain({ storage, clock }: StoreUnderTest, then: 'find' | 'hold') {
  await storage.settle([settlement(await claimOne(storage), UNCERTAIN, clock.now(), then)])
}

/** A delivery of its own is claimed: this event has invalidated it. */
async function guarded({ clock, arrival }: StoreUnderTest, storage: Storage, event: number | null) {
  await storage.accept([arrival({ deliveries: [pending({ unless: ['x', 'order/A1/collected'] })] })])
  const claims = await claim(storage)
  expect(claims.at(-1)?.invalidated).toBe(event)
  await settle(storage, claims, DELIVERED, clock.now())
}
