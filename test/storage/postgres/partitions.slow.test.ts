import { describe, expect, test } from 'vitest'
import type { Claim } from '../../../src/storage/claim.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { eventually } from '../../eventually.ts'
import { BUS, by, claim, claimOne, DELIVERED, settlement } from '../acting.ts'
import { createArrivals, pending } from '../arrivals.ts'
import { type Hubs, openHubs } from './open-hubs.ts'
import { NO_SERVER, SERVER } from './schema.ts'

/* Who delivers what where several hubs share a server, and what a hub that is gone leaves behind (docs/adr/0003-partitions.md). */

const SKIPPED = SERVER === undefined

describe.skipIf(SKIPPED).concurrent(`partitions on a server (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  test('A delivery that may be repeated goes out without its row being written', async () => {
    await using hubs = await openHubs(1)
    await acceptOne(hubs.first, 'a')
    const before = await rowsOf(hubs)
    const out = await claimOne(hubs.first)
    expect(await rowsOf(hubs)).toEqual(before)
    expect(await inFlight(hubs)).toEqual([out.delivery.id])
    expect(await hubs.first.settle([settlement(out, DELIVERED, hubs.first.now())])).toEqual([true])
    expect(await rowsOf(hubs)).toMatchObject([{ state: 'delivered' }])
    expect(await inFlight(hubs)).toEqual([])
  })

  test('Hubs have a fair share, also when one joins and one leaves', async () => {
    await using hubs = await openHubs(3)
    const [one, two, three] = hubs.all as [Storage, Storage, Storage]
    await claim(one)
    expect(await sharesOf(hubs)).toEqual([64])
    await claim(two)
    await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
    await claim(three)
    await eventually(async () => expect(await sharesOf(hubs)).toEqual([20, 22, 22]))
    await two[Symbol.asyncDispose]()
    await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
  })

  test('A partition changes hands only when nothing of it is in flight any more', async () => {
    await using hubs = await openHubs(2)
    for (let n = 0; n < 20; n += 1) await acceptOne(hubs.first, `e${n}`)
    const out = await claim(hubs.first)
    expect(out).toHaveLength(20)
    await claim(hubs.second)
    await hubs.untilBeaten()
    expect(await sharesOf(hubs)).toEqual([64])
    expect(await hubs.first.settle(out.map((one) => settlement(one, DELIVERED, hubs.first.now())))).toEqual(
      Array(20).fill(true),
    )
    await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
  })

  test('A call that takes long holds up its own partition, and no other', async () => {
    await using hubs = await openHubs(2)
    for (let n = 0; n < 20; n += 1) await acceptOne(hubs.first, `e${n}`)
    const out = await claim(hubs.first)
    const kept = new Set((await hubs.sql('select id from deliveries where partition < 32')).map(({ id }) => Number(id)))
    const [long, short] = [true, false].map((isKept) => out.filter(({ delivery }) => kept.has(delivery.id) === isKept))
    await claim(hubs.second)
    await hubs.first.settle((short ?? []).map((one) => settlement(one, DELIVERED, hubs.first.now())))
    await eventually(async () => expect(await sharesOf(hubs)).toEqual([32, 32]))
    expect(long?.length).toBeGreaterThan(0)
    const results = (long ?? []).map((one) => settlement(one, DELIVERED, hubs.first.now()))
    expect(await hubs.first.settle(results)).toEqual(results.map(() => true))
  })

  test('A hub that does not beat any more is presumed dead: its work goes to another, and it writes nothing', async () => {
    await using hubs = await openHubs(1)
    await using gone = await hubs.openThroughProxy()
    const lost = await claimBehind(gone.storage, hubs.first)
    gone.proxy.shut(true)
    const own = await onceClaimed(hubs.first)
    expect(own.delivery).toMatchObject({ id: lost.delivery.id, crashes: 1 })
    gone.proxy.shut(false)
    await expect.poll(() => gone.storage.settle([settlement(lost, DELIVERED, 0)]).catch(() => null)).toEqual([false])
    expect(await hubs.first.settle([settlement(own, DELIVERED, hubs.first.now())])).toEqual([true])
    const detail = await hubs.first.delivery(lost.delivery.id)
    expect(detail?.attempts.map(({ code }) => code)).toEqual(['lease-over', 'delivered'])
  })

  test('A hub that cannot beat begins nothing before it can', async () => {
    await using hubs = await openHubs(1)
    await using gone = await hubs.openThroughProxy()
    await claim(gone.storage)
    await acceptOne(hubs.first, 'a')
    gone.proxy.shut(true)
    await hubs.untilLeaseIsOver()
    expect(await claim(gone.storage).catch(() => [])).toEqual([])
    gone.proxy.shut(false)
    expect((await onceClaimed(gone.storage)).delivery.entity).toBe('a')
  })

  test('What a hub owed to a fact that was proven meanwhile is delivered when that hub is gone', async () => {
    await using hubs = await openHubs(1)
    await using gone = await hubs.openThroughProxy()
    const fact = 'order/A1/placed'
    await hubs.first.accept([hubs.arrival({ deliveries: [pending({ once: true, effect: fact, entity: 'order:A1' })] })])
    const lost = await claimOne(gone.storage)
    await hubs.first.accept([hubs.arrival({ deliveries: [], proves: [fact], quiet: true })])
    gone.proxy.shut(true)
    await eventually(async () => {
      await claim(hubs.first)
      expect(await hubs.first.delivery(lost.delivery.id)).toMatchObject({ state: 'delivered', code: 'proven' })
    })
  })

  test('What another hub skips while it is out ends as skipped, and what happened is kept', async () => {
    await using hubs = await openHubs(2)
    await acceptOne(hubs.first, 'a')
    const out = await claimOne(hubs.first)
    expect((await hubs.second.skip({}, by(hubs.first.now()))).changed).toBe(1)
    expect(await hubs.first.settle([settlement(out, DELIVERED, hubs.first.now())])).toEqual([false])
    const detail = await hubs.second.delivery(out.delivery.id)
    expect(detail).toMatchObject({ state: 'skipped', attempts: [{ code: 'delivered' }] })
  })

  test('What another hub skips or moves does not go out any more, even before the owner has heard of it', async () => {
    await using hubs = await openHubs(2)
    await acceptOne(hubs.first, 'a')
    await acceptOne(hubs.first, 'b')
    // In memory, and nothing claimed.
    await claim(hubs.first, { destination: 'shop', urgency: 'prompt' }, { calls: 0 })
    await hubs.second.skip({ entity: 'a' }, by(hubs.first.now()))
    await hubs.second.move('shop', 'bus', by(hubs.first.now()))
    expect(await claim(hubs.first)).toEqual([])
    expect((await onceClaimed(hubs.first, BUS)).delivery).toMatchObject({ entity: 'b', destination: 'bus' })
  })

  test('When one that is out is moved to where another of its entity is out, then the next goes out when both are back', async () => {
    await using hubs = await openHubs(1)
    const [, second] = await hubs.first.accept([
      hubs.about('a'),
      hubs.about('a', { destination: 'bus' }),
      hubs.about('a', { destination: 'bus' }),
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

  test('What one hub supersedes does not stand in the way at the owner', async () => {
    await using hubs = await openHubs(2)
    const level = (more = {}) => hubs.about('level:1', { latestWins: true, ...more })
    await hubs.first.accept([level({ notBefore: hubs.first.now() + 3_600_000 })])
    expect(await claim(hubs.first)).toEqual([])
    const [newer] = await hubs.second.accept([level()])
    expect((await onceClaimed(hubs.first)).event.id).toBe(newer?.id)
  })

  test('While a transaction of another entity is open for long, everything else goes out', async () => {
    await using hubs = await openHubs(2)
    await hubs.sql('begin')
    await hubs.sql(`select pg_current_xact_id(), nextval('event_ids'), nextval('deliveries_id_seq')`)
    for (let n = 0; n < 5; n += 1) {
      const [verdict] = await hubs.second.accept([hubs.about('a')])
      const one = await onceClaimed(hubs.first)
      expect(one.event.id).toBe(verdict?.id)
      await hubs.first.settle([settlement(one, DELIVERED, hubs.first.now())])
    }
    await hubs.sql('rollback')
  })

  test('An event waits for a transaction that writes about its entity, so that ids of an entity are in the order of commits', async () => {
    await using hubs = await openHubs(2)
    await hubs.sql('begin')
    await hubs.sql(`select pg_advisory_xact_lock(hashtextextended('of its own', 1))`)
    const later = acceptOne(hubs.first, 'of its own')
    const waits = `select 1 from pg_locks w join pg_locks h using (locktype, database, classid, objid, objsubid)
      where w.locktype = 'advisory' and not w.granted and h.granted and h.pid = pg_backend_pid()`
    await eventually(async () => expect(await hubs.sql(waits)).toHaveLength(1))
    const [first] = await hubs.sql(`select nextval('event_ids') as id`)
    expect(await acceptOne(hubs.second, 'b')).toBeGreaterThan(0)
    await hubs.sql('commit')
    expect(await later).toBeGreaterThan(Number(first.id))
  })

  test('What becomes visible late, under a lower id, is delivered all the same', async () => {
    await using hubs = await openHubs(1)
    await claim(hubs.first)
    await hubs.sql('begin')
    await hubs.sql(`insert into events (id, kind, origin, state, received_at, revision, size, body_hash)
      select nextval('event_ids'), 'SaleCreated', 'platform', 'routed', 1, 0, 2, 'h'`)
    await hubs.sql(`insert into payloads (event_id, headers, body) select currval('event_ids'), '{}', '\\x7b7d'`)
    await hubs.sql(`insert into deliveries (event_id, flow, part, destination, urgency, once, state, due_at)
      select currval('event_ids'), 'publish', '', 'shop', 'prompt', false, 'waiting', 1`)
    const later = await acceptOne(hubs.first, 'b')
    const newer = await onceClaimed(hubs.first)
    expect(newer.event.id).toBe(later)
    await hubs.sql('commit')
    const late = await onceClaimed(hubs.first)
    expect(late.event.id).toBeLessThan(later)
    expect(new TextDecoder().decode(late.event.body)).toBe('{}')
  })
})

async function acceptOne(storage: Storage, entity: string): Promise<number> {
  const [verdict] = await storage.accept([createArrivals({ now: storage.now }).about(entity)])
  return verdict?.id ?? 0
}

/** The rows of deliveries, and which transaction has written each. */
const rowsOf = ({ sql }: Hubs) => sql('select xmin, id, state from deliveries order by id')

async function inFlight({ sql }: Hubs): Promise<number[]> {
  return (await sql('select delivery_id from in_flight order by 1')).map((row) => Number(row.delivery_id))
}

/** How many partitions each hub has, fewest first. */
async function sharesOf({ sql }: Hubs): Promise<number[]> {
  const shares = await sql('select count(*)::int as n from partitions where hub is not null group by hub order by 1')
  return shares.map(({ n }) => n)
}

/** What one hub claims of what the other took; the hub that claims joins by it. */
async function claimBehind(storage: Storage, other: Storage): Promise<Claim> {
  await claim(storage)
  await acceptOne(other, 'a')
  return await onceClaimed(storage)
}

/** The only claim that there is to make, as soon as it can be made. */
async function onceClaimed(storage: Storage, queueKey?: typeof BUS): Promise<Claim> {
  return await eventually(async () => {
    const [one, ...more] = await claim(storage, queueKey)
    expect(more).toEqual([])
    expect(one).toBeDefined()
    return one as Claim
  })
}
