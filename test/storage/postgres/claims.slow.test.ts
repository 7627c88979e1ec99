import { describe, expect, test } from 'vitest'
import type { NewDelivery } from '../../../src/storage/arrival.ts'
import type { Claim } from '../../../src/storage/claim.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { eventually } from '../../eventually.ts'
import { BUS, by, claim, claimOne, DELIVERED, PLENTY, SHOP, settlement } from '../acting.ts'
import { createArrivals, pending } from '../arrivals.ts'
import { claimFor, openHubs } from './open-hubs.ts'
import { NO_SERVER, SERVER } from './schema.ts'

/* Where a claim is kept: in the partition alone, or in the delivery's row (src/storage/postgres/claiming). */

type Hubs = Awaited<ReturnType<typeof openHubs>>

/** Leases that are over soon (milliseconds). */
const SHORT = 300
const LONGER = 2_000

describe.skipIf(SERVER === undefined).concurrent(`claims on a server (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  test('When a delivery that may be repeated goes out, then its row is written with its result, and not before', async () => {
    await using hubs = await openHubs(1)
    await accept(hubs, {})
    const before = await rowsOf(hubs)
    const out = await claimOne(hubs.first)
    expect(await rowsOf(hubs)).toEqual(before)
    expect(await hubs.first.settle([settlement(out, DELIVERED, hubs.first.now())])).toEqual([true])
    expect(await rowsOf(hubs)).toMatchObject([{ state: 'delivered', fence: null }])
  })

  const WRITTEN: [string, Partial<NewDelivery>][] = [
    ['has its effect once', { once: true }],
    ['gives way to newer ones', { latestWins: true }],
    ['is proven by a fact', { effect: 'order/A1/placed' }],
  ]
  test.each(WRITTEN)('When a delivery %s and goes out, then its row says so', async (_, step) => {
    await using hubs = await openHubs(1)
    await accept(hubs, step)
    const { fence } = await claimOne(hubs.first)
    expect(await rowsOf(hubs)).toMatchObject([{ state: 'claimed', fence: String(fence) }])
    expect(await partitionsOf(hubs)).toMatchObject([{ taken: null, fence: null }])
  })

  test('When a person tries one again, or skips it, that is out at another hub, then only what happened is kept', async () => {
    await using hubs = await openHubs(2)
    await accept(hubs, {})
    const out = await claimOne(hubs.first)
    expect((await hubs.second.retry({}, by(hubs.first.now()), false)).changed).toBe(0)
    expect(await claim(hubs.second)).toEqual([])
    expect((await hubs.second.skip({}, by(hubs.first.now()))).changed).toBe(1)
    expect(await hubs.first.settle([settlement(out, DELIVERED, hubs.first.now())])).toEqual([false])
    const detail = await hubs.second.delivery(out.delivery.id)
    expect(detail).toMatchObject({ state: 'skipped', attempts: [{ code: 'delivered' }] })
    expect(await partitionsOf(hubs)).toEqual([])
  })

  test('When an old event owes something while a newer one is out, and that hub dies, then the one that was out has tried', async () => {
    await using hubs = await openHubs(2)
    const { arrival, about } = createArrivals({ now: hubs.first.now })
    const [old] = await hubs.first.accept([arrival({ deliveries: [], quiet: true })])
    await hubs.first.accept([about('a')])
    const lost = await claimFor(hubs.first, SHORT)
    await hubs.second.enqueue(old?.id ?? 0, [pending({ entity: 'a' })])
    const late = await afterLease(hubs.second)
    expect(late).toMatchObject({ event: { id: old?.id }, delivery: { tries: 0 } })
    expect(await hubs.second.settle([settlement(late, DELIVERED, hubs.second.now())])).toEqual([true])
    expect(await claimOne(hubs.second)).toMatchObject({ delivery: { id: lost.delivery.id, tries: 1 } })
    expect(await hubs.first.settle([settlement(lost, DELIVERED, hubs.first.now())])).toEqual([false])
  })

  test('When one that is out is skipped and then to be tried again, then it waits, until its result comes', async () => {
    await using hubs = await openHubs(2)
    await accept(hubs, {})
    const out = await claimOne(hubs.first)
    await hubs.second.skip({}, by(hubs.second.now()))
    expect((await hubs.second.retry({}, by(hubs.second.now()), false)).changed).toBe(1)
    expect(await rowsOf(hubs)).toMatchObject([{ state: 'waiting', fence: String(out.fence) }])
    expect(await claim(hubs.second)).toEqual([])
    expect(await hubs.first.settle([settlement(out, DELIVERED, hubs.first.now())])).toEqual([true])
  })

  test('When one that is out is moved to where another is out, that one ends, and the hub of the first dies, then it comes back when its lease is over', async () => {
    await using hubs = await openHubs(2)
    const { about } = createArrivals({ now: hubs.first.now })
    await hubs.first.accept([about('a'), about('a', { destination: 'bus' })])
    const lost = await claimFor(hubs.second, SHORT)
    const [other] = (await hubs.first.claim(BUS, PLENTY, LONGER)).calls.flat()
    if (!other) throw new Error('One was due.')
    await hubs.first.move('shop', 'bus', by(hubs.first.now()))
    expect(await hubs.first.settle([settlement(other, DELIVERED, hubs.first.now())])).toEqual([true])
    expect(await claim(hubs.first, BUS), 'it is still out').toEqual([])
    expect((await afterLease(hubs.first, BUS)).delivery).toMatchObject({ id: lost.delivery.id, tries: 1 })
    expect(await hubs.second.settle([settlement(lost, DELIVERED, hubs.second.now())])).toEqual([false])
  })

  test('When one ends that was moved to where another is out, then the next of them goes out when that is back, too', async () => {
    await using hubs = await openHubs(1)
    const { about } = createArrivals({ now: hubs.first.now })
    const [, second] = await hubs.first.accept([
      about('a'),
      about('a', { destination: 'bus' }),
      about('a', { destination: 'bus' }),
    ])
    const [moved, late] = [await claimOne(hubs.first), await claimOne(hubs.first, BUS)]
    await hubs.first.move('shop', 'bus', by(hubs.first.now()))
    await hubs.first.skip({ event: second?.id ?? 0 }, by(hubs.first.now()))
    expect(await hubs.first.settle([settlement(moved, DELIVERED, hubs.first.now())])).toEqual([true])
    expect(await claim(hubs.first, BUS)).toEqual([])
    expect(await hubs.first.settle([settlement(late, DELIVERED, hubs.first.now())])).toEqual([false])
    const third = await claimOne(hubs.first, BUS)
    expect(await hubs.first.settle([settlement(third, DELIVERED, hubs.first.now())])).toEqual([true])
  })
})

async function accept({ first }: Hubs, step: Partial<NewDelivery>): Promise<void> {
  await first.accept([createArrivals({ now: first.now }).about('a', step)])
}

/** The rows of deliveries, and which transaction has written each. */
async function rowsOf({ sql }: Hubs) {
  return await sql('select xmin, id, state, fence from deliveries order by id')
}

async function partitionsOf({ sql }: Hubs) {
  return await sql('select taken, fence from partitions')
}

/** The only claim that there is to make once a lease is over. */
async function afterLease(storage: Storage, queueKey = SHOP): Promise<Claim> {
  let own: Claim | undefined
  await eventually(async () => {
    own = (await claim(storage, queueKey))[0]
    expect(own).toBeDefined()
  })
  return own as Claim
}
