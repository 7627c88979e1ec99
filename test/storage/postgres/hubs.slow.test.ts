import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { MirrorChange, MirrorCursor, MirrorRow, StoredMirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { eventually } from '../../eventually.ts'
import { by, claim, claimOne, DELIVERED, FAILED, REFUSED, SHOP, settlement } from '../acting.ts'
import { createArrivals, pending } from '../arrivals.ts'
import { openHubs } from './open-hubs.ts'
import { NO_SERVER, SERVER } from './schema.ts'

/* Several hubs on one server, each with a store of its own: what one of them alone cannot show. */

describe.skipIf(SERVER === undefined).concurrent(`hubs on one server (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
  test('When the same event comes to two hubs at the same instant, then it is one, and both know its id', async () => {
    await using hubs = await openHubs(2)
    for (let n = 0; n < 30; n += 1) {
      const same = [
        hubs.arrival({ transportKey: `t${n}`, versioned: true, identity: `order/${n % 3}` }),
        hubs.of('StockMovementCreated', { movementId: n, quantity: 1 }),
        hubs.arrival({ payload: { only: n } }),
      ]
      const answers = await Promise.all(hubs.all.map((storage) => storage.accept(same)))
      const [one = [], other = []] = answers
      for (const [index, verdict] of one.entries()) {
        expect(other[index]?.id).toBe(verdict.id)
        expect([verdict.status, other[index]?.status].sort()).toEqual(['accepted', 'duplicate'])
      }
    }
    const events = await hubs.first.events({ limit: 500 })
    expect(events).toHaveLength(90)
    const versions = events.filter(({ identity }) => identity === 'order/0').map(({ revision }) => revision)
    expect(versions, 'later revisions have higher ids').toEqual(Array.from({ length: 10 }, (_, n) => 10 - n))
  })

  test('When two events owe one once effect in two hubs, then one of them owes it', async () => {
    await using hubs = await openHubs(2)
    for (let n = 0; n < 20; n += 1) {
      const step = pending({ once: true, effect: `order/A${n}/captured`, entity: `order:A${n}` })
      const accepting = hubs.all.map((storage) => storage.accept([hubs.arrival({ deliveries: [step] })]))
      await Promise.all(accepting)
    }
    expect(await hubs.first.deliveries({ limit: 100 })).toHaveLength(20)
  })

  test('When an effect is proven in one hub while it comes back uncertain in another, then it is delivered', async () => {
    await using hubs = await openHubs(2)
    const [one, other] = hubs.all
    for (let n = 0; n < 20; n += 1) {
      const fact = `order/A${n}/placed`
      await one?.accept([hubs.arrival({ deliveries: [pending({ once: true, effect: fact, entity: `order:A${n}` })] })])
      const out = await claimOne(hubs.first)
      const uncertain = settlement(
        out,
        { type: 'unknown', code: 'timeout', why: 'no answer' },
        hubs.first.now(),
        'find',
      )
      await Promise.all([
        hubs.first.settle([uncertain]),
        other?.accept([hubs.arrival({ deliveries: [], proves: [fact], quiet: true })]),
      ])
    }
    expect((await hubs.first.deliveries({ limit: 100 })).map(({ state }) => state)).toEqual(Array(20).fill('delivered'))
  })

  test('When two hubs change the mirror at once, then a part is as one of them says, and whoever reads on misses nothing', async () => {
    await using hubs = await openHubs(2)
    const line = (key: string, part: string, n: number): MirrorRow => {
      const nothing = { place: null, article: null, version: 0, tie: 0 }
      return { set: 'sales-lines', key, part, day: '2026-11-20', body: { n }, ...nothing }
    }
    const read = new Set<string>()
    let after: MirrorCursor | null = null
    async function readOn() {
      const rows: StoredMirrorRow[] = await hubs.first.mirrorPage({ set: 'sales-lines' }, after, 1_000)
      for (const { key } of rows) read.add(key)
      after = rows.at(-1) ?? after
    }
    const parts = ['a', 'b']
    for (let n = 0; n < 20; n += 1) {
      const lists = hubs.all.map((_, hub) =>
        (hub === 0 ? parts : parts.toReversed()).flatMap((part): MirrorChange[] => [
          { type: 'replace', set: 'sales-lines', part, rows: [line(`${part} of hub ${hub}, ${n}`, part, n)] },
          { type: 'put', row: line(`put ${part}`, 'put', n) },
        ]),
      )
      await Promise.all([
        ...hubs.all.map((storage, hub) => storage.saveMirror(lists[hub] ?? [], n)),
        readOn(),
        readOn(),
      ])
      const left = (await hubs.first.mirrorPage({ set: 'sales-lines' }, null, 100)).map(({ key }) => key)
      expect(left).toHaveLength(4)
      await readOn()
      expect([...read]).toEqual(expect.arrayContaining(left))
    }
  })

  test('When one hub takes an event, then the others are told of its queue, and not before it is there', async () => {
    await using hubs = await openHubs(2)
    const [one, other] = hubs.all
    if (!one || !other) throw new Error('There are two.')
    const seen: number[] = []
    await claim(other)
    other.onWork(() => void claim(other).then((claims) => seen.push(...claims.map(({ event }) => event.id))))
    const [verdict] = await one.accept([createArrivals({ now: one.now }).about(null)])
    await eventually(() => expect(seen).toEqual([verdict?.id]))
  })

  test('When one hub pauses a queue, revokes a key or reads the stores, then that holds for the others at once', async () => {
    await using hubs = await openHubs(2)
    const [one, other] = hubs.all
    if (!one || !other) throw new Error('There are two.')
    await one.accept([createArrivals({ now: one.now }).about('a')])
    await one.pause(SHOP, { until: null, why: 'stock count' })
    expect(await claim(other)).toEqual([])
    expect(await other.paused()).toEqual([{ queueKey: SHOP, until: null, why: 'stock count' }])
    await other.resume(SHOP)
    await one.skip({}, by(one.now()))
    expect(await claim(other)).toEqual([])

    const key = {
      id: 'k1',
      system: 'erp',
      scopes: [],
      createdAt: 1,
      createdBy: 'kari',
      lastUsedAt: null,
      revokedAt: null,
    }
    await one.createApiKey({ ...key, secretHash: 'x' })
    expect(await other.apiKey('k1')).toMatchObject({ revokedAt: null })
    await other.revokeApiKey('k1', 'kari', 2)
    expect(await one.apiKey('k1')).toMatchObject({ revokedAt: 2 })

    let reported = 0
    let own = 0
    other.onStores(() => reported++)
    one.onStores(() => own++)
    await eventually(async () => {
      await one.saveStores([], one.now())
      expect(reported).toBeGreaterThan(0)
    })
    expect(own, 'who saved them knows').toBe(0)
  })

  test('When two hubs begin a job at once, then one runs it', async () => {
    await using hubs = await openHubs(2)
    for (let n = 1; n <= 10; n += 1) {
      const now = hubs.first.now()
      const begun = await Promise.all(hubs.all.map((storage) => storage.beginJob(`job ${n}`, { now, lease: 60_000 })))
      expect(begun.filter((run) => run !== null)).toHaveLength(1)
    }
  })

  // Row locks, which one connection alone does not show (docs/adr/0003-partitions.md).
  test('When six write and six work at once, then no entity is in two hands, and each keeps its order', async () => {
    await using hubs = await openHubs(6)
    const ENTITIES = 15
    const EACH = 60
    /** Of each event when its writer began with it, and when it was kept. */
    const times = new Map<number, { began: number; kept: number }>()
    let time = 0
    const done = new Map<string, number[]>()
    const hands = new Set<string>()
    let writing = true

    async function write(storage: Storage, writer: number): Promise<void> {
      for (let n = 0; n < EACH; n += 1) {
        const entity = `e${(writer * 7 + n) % ENTITIES}`
        const began = ++time
        const [verdict] = await storage.accept([hubs.about(entity)])
        times.set(verdict?.id ?? 0, { began, kept: ++time })
      }
    }

    async function work(storage: Storage): Promise<void> {
      for (;;) {
        const last = !writing
        const claims = await claim(storage, SHOP, { calls: 4 })
        for (const { delivery } of claims) {
          expect(hands.has(delivery.entity ?? '')).toBe(false)
          hands.add(delivery.entity ?? '')
        }
        for (const one of claims) {
          const entity = one.delivery.entity ?? ''
          const outcome =
            one.delivery.tries === 0 && one.delivery.id % 7 === 0
              ? FAILED
              : one.delivery.id % 11 === 0
                ? REFUSED
                : DELIVERED
          if (outcome !== FAILED) done.set(entity, [...(done.get(entity) ?? []), one.event.id])
          hands.delete(entity)
          const result = settlement(one, outcome, storage.now())
          // Failures come back at once: time is not what is shown here.
          expect(await storage.settle([{ ...result, next: { ...result.next, dueAt: storage.now() } }])).toEqual([true])
        }
        if (last && claims.length === 0 && (await storage.pending()).length === 0) return
        // A hub whose lease is over answers at once: it must come to beat again.
        if (claims.length === 0) await setImmediate()
      }
    }

    const working = hubs.all.map(work)
    await Promise.all(hubs.all.map(write))
    writing = false
    await Promise.all(working)
    expect(new Set([...done.values()].flat()).size).toBe(6 * EACH)
    // Of two that came at the same time, either may go first.
    for (const [entity, events] of done)
      for (const [index, event] of events.entries())
        for (const later of events.slice(index + 1))
          expect(times.get(later)?.kept, `${entity}: ${later}, which went after ${event}`).toBeGreaterThan(
            times.get(event)?.began ?? Infinity,
          )
  })
})
