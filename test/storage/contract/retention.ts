import { expect } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import { namedByGaps } from '../../../src/storage/walk-pages.ts'
import { by, claim, DAY, DELIVERED, FAILED, HOUR, MINUTE, REFUSED, settle } from '../acting.ts'
import { pending } from '../arrivals.ts'
import { compressAll } from '../payloads/compress-all.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** What has had its time goes; what somebody has to look at, or may ask for, stays. */
export function retaining(test: StoreTest): void {
  test('When events are dropped, then all of them goes, and what others are of stays', async (the) => {
    const { storage } = the
    const [one = 0, two = 0, three = 0] = await delivered(the, 3, { tries: 2 })

    expect(await drop(storage, [one, two])).toMatchObject({ events: 2, deliveries: 2, attempts: 4, seen: 2 })

    for (const id of [one, two]) expect(await storage.event(id)).toBeNull()
    expect(await storage.bodies([one, two, three])).toMatchObject([{ id: three }])
    expect((await storage.deliveries({})).map(({ event }) => event)).toEqual([three])
    expect(await storage.dropEvents([one, two])).toMatchObject({ events: 0, seen: 2 })
  })

  test('When an own system contradicts what was dropped, then the conflict names the request of the first', async (the) => {
    const { storage, clock, arrival } = the
    const line = (nth: number, payload: unknown) =>
      arrival({
        ...{ payload, origin: 'erp', identity: 'A1', exact: true, transportKey: `orders/k/${nth}` },
        submission: { resource: 'orders', key: 'k', line: nth },
      })
    const [first] = await storage.accept([line(1, { pieces: 1 }), arrival()])
    await settle(storage, await claim(storage), DELIVERED, clock.now())
    expect(await drop(storage, [first?.id ?? 0])).toMatchObject({ events: 1 })
    const [other] = await storage.accept([line(2, { pieces: 2 })])
    expect(other).toMatchObject({
      status: 'conflict',
      submission: first && 'submission' in first ? first.submission : 0,
    })
  })

  test('When an event is open, dead, aside or under a legal hold, then it stays, and it is said why', async (the) => {
    const { storage, clock, arrival } = the
    const [free = 0, held = 0, dead = 0] = await delivered(the, 3, { isRefused: (nth) => nth === 2 })
    const [open, unrouted, quarantined, dismissed] = await storage.accept([
      arrival(),
      arrival({ deliveries: [] }),
      arrival({ deliveries: [], problem: 'not JSON' }),
      arrival({ deliveries: [] }),
    ])
    await storage.dismiss({ id: dismissed?.id ?? 0 }, by(clock.now()))
    await storage.holdEvents([held, 99_999], by(clock.now()))
    await delivered(the, 1, { destination: 'bus' })

    const { upTo, events } = await storage.retained(100, 100)
    expect(upTo).toBe(100)
    expect(events).toEqual([
      { event: held, why: 'hold' },
      { event: dead, why: 'dead' },
      { event: open?.id, why: 'open' },
      { event: unrouted?.id, why: 'rejected' },
      { event: quarantined?.id, why: 'rejected' },
    ])
    const all = [free, held, dead, ...[open, unrouted, quarantined, dismissed].map((one) => one?.id ?? 0)]
    expect(await drop(storage, all)).toMatchObject({ events: 2 })
    expect((await storage.events({ before: (dismissed?.id ?? 0) + 1 })).map(({ id }) => id)).toEqual(
      [quarantined, unrouted, open].map((one) => one?.id ?? 0).concat([dead, held]),
    )
  })

  test('When the newest event or delivery is dropped, then it stays: ids go on behind it', async (the) => {
    const { storage } = the
    const ids = await delivered(the, 3)

    expect(await drop(storage, ids)).toMatchObject({ events: 2 })

    const again = await the.reopen()
    const [next] = await again.accept([the.arrival()])
    expect(next?.id).toBeGreaterThan(ids.at(-1) ?? 0)
  })

  test('When a dropped event comes again, then it is a duplicate of it as long as its keys are kept', async (the) => {
    const { clock, arrival, of } = the
    const sale = { kind: 'InvoiceCreated', identity: 'sale/1', facts: ['1', null, null] as [string, null, null] }
    const keyed = arrival({ transportKey: 'e-1' })
    const named = arrival(sale)
    const order = of('OrderSubmitted', { number: 'A1' }, { identity: 'order/A1', versioned: true, exact: false })
    const [first, second, third] = await the.storage.accept([keyed, named, order])
    await settleAll(the)
    await delivered(the, 1)
    await drop(
      the.storage,
      [first, second, third].map((one) => one?.id ?? 0),
    )
    await the.clock.pass(399 * DAY)
    const storage = await the.reopen()

    const at = { receivedAt: clock.now() }
    expect(await storage.accept([{ ...keyed, ...at }])).toMatchObject([{ status: 'duplicate', id: first?.id }])
    expect(await storage.accept([{ ...named, ...at, bodyHash: 'ab'.repeat(16) }])).toMatchObject([
      { status: 'duplicate', id: second?.id },
    ])
    expect(await storage.accept([{ ...order, ...at }])).toMatchObject([{ status: 'duplicate', id: third?.id }])
    expect(await storage.known([{ ...keyed, identity: null }])).toMatchObject([{ id: first?.id, by: 'transport' }])
    // Another one under the same transport key, and a further revision, are news.
    expect(await storage.accept([arrival({ transportKey: 'e-1' })])).toMatchObject([{ status: 'accepted' }])
    const [revised] = await storage.accept([{ ...order, ...at, bodyHash: 'cd'.repeat(16), transportKey: 'e-2' }])
    expect(revised).toMatchObject({ status: 'accepted' })
    expect(await storage.event(revised?.id ?? 0)).toMatchObject({ revision: 2 })
  })

  test('When keys have had their time, then those of dropped events go, and the same event is news', async (the) => {
    const { storage, clock, arrival } = the
    const [keyed, here] = [arrival({ transportKey: 'e-1' }), arrival({ transportKey: 'e-2' })]
    const [gone, kept] = await storage.accept([keyed, here])
    await settleAll(the)
    await delivered(the, 1)
    await drop(storage, [gone?.id ?? 0])
    const upTo = kept?.id ?? 0

    const dropped: number[] = []
    for (let after: string | null = ''; after !== null; ) {
      const part = await storage.dropKeys(after, upTo, 2)
      dropped.push(part.dropped)
      after = part.after
    }

    expect(dropped.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(2)
    expect(await storage.nextReceived(0)).toEqual({ id: gone?.id, receivedAt: keyed.receivedAt })
    expect(await storage.dropKnown(upTo, 10)).toBe(1)
    expect(await storage.nextReceived(0)).toMatchObject({ id: kept?.id })
    const at = { receivedAt: clock.now() }
    expect(await storage.accept([{ ...keyed, ...at }])).toMatchObject([{ status: 'accepted' }])
    expect(await storage.accept([{ ...here, ...at }])).toMatchObject([{ status: 'duplicate', id: kept?.id }])
  })

  test('When payloads are dropped, then the events stay without them', async (the) => {
    const { storage } = the
    const [one = 0, two = 0, three = 0] = await delivered(the, 3)

    expect(await storage.payloadKinds(0, 2)).toEqual([one, two].map((id) => ({ id, kind: 'InvoiceCreated' })))
    expect(await storage.dropPayloads([two])).toEqual({ dropped: 1, seen: 1 })
    expect(await storage.dropPayloads([two])).toEqual({ dropped: 0, seen: 1 })
    expect((await storage.payloadKinds(one, 2)).map(({ id }) => id)).toEqual([three])

    expect(await storage.event(two)).toMatchObject({ id: two, body: null })
    for (const id of [one, three]) expect((await storage.event(id))?.body?.byteLength).toBeGreaterThan(0)
  })

  test('When an event comes under a legal hold while payloads are dropped, then its payload stays', async (the) => {
    const { storage, clock } = the
    const [one = 0, two = 0] = await delivered(the, 2)
    await storage.holdEvents([two], by(clock.now()))
    expect(await storage.dropPayloads([one, two])).toEqual({ dropped: 1, seen: 2 })
    expect(await storage.bodies([one, two])).toMatchObject([{ id: two }])
  })

  test('When events come under legal holds while payloads are dropped, compressed or not, then theirs stay', async (the) => {
    const { storage, clock, arrival } = the
    for (let round = 0; round < 10; round += 1) {
      const ids = (await storage.accept(Array.from({ length: 64 }, () => arrival()))).map(({ id }) => id ?? 0)
      await the.clock.pass(HOUR)
      if (round < 5) await compressAll(storage, clock.now())
      const held = ids[7] ?? 0
      const dropping = storage.dropPayloads(ids)
      for (let turn = 0; turn < round % 5; turn += 1) await storage.bodies([held])
      await storage.holdEvents([held], by(clock.now()))
      const wasThere = (await storage.bodies([held])).length
      await dropping
      expect(await storage.bodies([held])).toHaveLength(wasThere)
    }
  })

  test('When deliveries are tried again in the middle of a slice, then no payload of theirs goes after it, compressed or not', async (the) => {
    const { storage, clock, arrival } = the
    for (let round = 0; round < 10; round += 1) {
      const arrivals = Array.from({ length: 64 }, () => arrival({ deliveries: [pending({})] }))
      const ids = (await storage.accept(arrivals)).map(({ id }) => id)
      await storage.skip({ state: 'waiting' }, by(clock.now()))
      await the.clock.pass(HOUR)
      if (round < 5) await compressAll(storage, clock.now())
      const again = ids[7] ?? 0
      const dropping = storage.dropPayloads(ids)
      for (let turn = 0; turn < round % 5; turn += 1) await storage.bodies([again])
      await storage.retry({ event: again }, by(clock.now()), false)
      const wasThere = (await storage.bodies([again])).length
      await dropping
      expect(await storage.bodies([again])).toHaveLength(wasThere)
      await storage.skip({ state: 'waiting' }, by(clock.now()))
    }
  })

  test('When tries are dropped, then those of settled deliveries go by their age, and their kind', async (the) => {
    const { storage, clock } = the
    const [old = 0, dead = 0] = await delivered(the, 2, { tries: 2, isRefused: (nth) => nth === 1 })
    await the.clock.pass(DAY)
    const [young = 0] = await delivered(the, 1, { tries: 2 })

    const which = { after: 0, limit: 10, before: clock.now() - HOUR, now: clock.now(), kinds: {} }
    expect(await storage.dropAttempts({ ...which, kinds: { InvoiceCreated: 0 } })).toMatchObject({ dropped: 0 })
    expect(await storage.dropAttempts(which)).toEqual({ dropped: 2, after: null })

    const tries = async (event: number) => {
      const [delivery] = await storage.deliveries({ event })
      return (await storage.delivery(delivery?.id ?? 0))?.attempts.length
    }
    expect([await tries(old), await tries(dead), await tries(young)]).toEqual([0, 2, 2])
  })

  test('When records are old, then they go by their age', async (the) => {
    const { storage, clock } = the
    const lookup = { number: 'A1', found: [], missing: [], ms: 1 }
    for (const at of [clock.now() - DAY, clock.now()]) await storage.noteLookup({ ...lookup, at })
    const row = { place: null, article: null, part: null, version: 1, tie: 0, body: {} }
    await storage.saveMirror(
      ['', '2026-01-01', '2026-11-20'].map((day) => ({
        type: 'put',
        row: { ...row, set: 'sales', key: `s${day}`, day },
      })),
      clock.now(),
    )
    const act = { by: 'kari', action: 'skip' }
    const first = await storage.noteAct({ ...act, at: clock.now() - DAY }, [1, 2, 3])
    await storage.noteAct({ ...act, at: clock.now() }, [1])

    expect(await storage.dropRecords({ type: 'lookups', before: clock.now() - HOUR, now: clock.now() }, 10)).toBe(1)
    expect(await storage.dropRecords({ type: 'mirror', set: 'sales', before: '2026-06-01' }, 10)).toBe(1)
    expect(await storage.dropRecords({ type: 'audit', before: clock.now() - HOUR, now: clock.now() }, 2)).toBe(2)
    expect(await storage.dropRecords({ type: 'audit', before: clock.now() - HOUR, now: clock.now() }, 10)).toBe(2)

    expect((await storage.order('A1')).lookups).toHaveLength(1)
    const page = await storage.mirrorPage({ set: 'sales' }, null, 10)
    expect(page.map(({ key }) => key)).toEqual(['s', 's2026-11-20'])
    expect(await storage.act(first)).toBeNull()
    expect(await storage.acts({})).toHaveLength(1)
  })

  test('When rows were dated by a clock that was years ahead, then those behind them go in their time', async (the) => {
    const { storage, clock, arrival } = the
    const ahead = clock.now() + 700 * DAY
    const lookup = { number: 'A1', found: [], missing: [], ms: 1 }
    for (let nth = 0; nth < 12; nth++) await storage.noteLookup({ ...lookup, at: ahead })
    for (const at of [clock.now(), clock.now() + DAY]) await storage.noteLookup({ ...lookup, at })
    const line = (key: string, receivedAt: number) =>
      arrival({
        ...{ origin: 'erp', transportKey: `${key}/1`, receivedAt },
        submission: { resource: 'orders', key, line: 1 },
      })
    const verdicts = await storage.accept([line('k1', ahead), line('k2', clock.now())])
    await settle(storage, await claim(storage), FAILED, ahead)
    await storage.skip({ state: 'waiting' }, by(clock.now()))
    await delivered(the, 1, { tries: 2 })
    await the.clock.pass(DAY)
    await delivered(the, 1)
    await storage.accept([line('k3', clock.now())])
    await drop(
      storage,
      verdicts.map(({ id }) => id),
    )

    const old = { after: 0, limit: 100, before: clock.now() - HOUR, now: clock.now() }
    let lookups = 0
    for (let gone = -1; gone !== 0; lookups += gone) gone = await storage.dropRecords({ type: 'lookups', ...old }, 10)
    expect(lookups).toBe(13)
    expect(await storage.dropAttempts({ ...old, kinds: {} })).toEqual({ dropped: 2, after: null })
    const [, gone] = verdicts.map((verdict) => ('submission' in verdict ? (verdict.submission ?? 0) : 0))
    expect(await storage.dropSubmissions(old)).toMatchObject({ dropped: 1 })
    expect(await storage.submission(gone ?? 0)).toBeNull()
  })

  test('When no event of a price up to one is here any more, then what was acknowledged of it goes; what events say themselves stays', async (the) => {
    const { storage, clock, about } = the
    const price = { latestWins: true }
    const [old, held, ...more] = (
      await storage.accept([
        about('price:old', price),
        about('price:held', price),
        about('product:1', { digest: 'A' }),
        about('customer:1', { version: clock.now() }),
        about('price:young', price),
      ])
    ).map(({ id }) => id)
    await settleAll(the)
    const young = more.pop() ?? 0
    await storage.holdEvents([held ?? 0], by(clock.now()))
    await drop(storage, [old ?? 0, ...more])
    const acknowledged = async () => {
      const { rows } = await storage.personalPage({ place: 'acknowledged', containing: [':'], after: 0 })
      return rows.map(({ values }) => values[2]).sort()
    }
    const kept = ['customer:1', 'price:held', 'price:young', 'product:1']
    expect(await acknowledged()).toEqual([...kept, 'price:old'].sort())

    const upTo = young - 1
    const first = await storage.acknowledgedUpTo(upTo, null, 3)
    const second = await storage.acknowledgedUpTo(upTo, first.next, 3)
    const ofPrices = [...first.rows, ...second.rows]
    expect(ofPrices.map(({ subject }) => subject)).toEqual(['price:held', 'price:old'])
    expect(second.next).toBeNull()
    const [, ofOld] = ofPrices
    expect(await storage.dropAcknowledged(ofOld ? [ofOld] : [], upTo)).toEqual({ dropped: 1, seen: 1 })
    expect(await acknowledged()).toEqual(kept)
    // What was acknowledged meanwhile stays.
    expect(await storage.dropAcknowledged(ofPrices, (held ?? 0) - 1)).toMatchObject({ dropped: 0 })
  })

  test('When submissions are old and all their lines are gone, then they go', async (the) => {
    const { storage, clock, arrival } = the
    const line = (key: string, nth: number) =>
      arrival({ origin: 'erp', transportKey: `${key}/${nth}`, submission: { resource: 'orders', key, line: nth } })
    const verdicts = await storage.accept([line('k1', 1), line('k2', 1)])
    await settleAll(the)
    await the.clock.pass(DAY)
    await delivered(the, 1)
    await storage.accept([line('k3', 1)])
    await drop(storage, [verdicts[0]?.id ?? 0])

    const [gone, kept] = verdicts.map((verdict) => ('submission' in verdict ? (verdict.submission ?? 0) : 0))
    expect(await storage.dropSubmissions({ after: 0, limit: 10, before: clock.now(), now: clock.now() })).toMatchObject(
      {
        dropped: 1,
      },
    )
    expect(await storage.submission(gone ?? 0)).toBeNull()
    expect(await storage.submission(kept ?? 0)).toMatchObject({ key: 'k2' })
  })

  test('When events are put under a legal hold and let go, then both are in the audit', async (the) => {
    const { storage, clock } = the
    const [one = 0, two = 0] = await delivered(the, 3)

    expect(await storage.holdEvents([one, two, 99_999], by(clock.now(), true))).toEqual({
      act: null,
      changed: 2,
      missing: [99_999],
      left: [],
    })
    expect(await storage.legalHolds(0, 10)).toEqual([])
    expect(await storage.holdEvents([one, two, 99_999], by(clock.now()))).toMatchObject({ changed: 2 })
    expect(await storage.holdEvents([one], by(clock.now()))).toMatchObject({ changed: 0, missing: [], left: [one] })
    expect(await storage.legalHolds(one, 10)).toEqual([
      { event: two, at: clock.now(), by: 'kari', reason: 'asked for it' },
    ])
    expect(await storage.dropEvents([one, two])).toMatchObject({ events: 0 })

    expect(await storage.unholdEvents([one, two], by(clock.now()))).toMatchObject({ changed: 2, left: [] })
    expect(await storage.unholdEvents([one], by(clock.now(), true))).toMatchObject({ changed: 0, left: [one] })
    expect(await drop(storage, [one, two])).toMatchObject({ events: 2 })
    expect((await storage.acts({})).map(({ action, changed }) => [action, changed])).toEqual([
      ['unhold', 2],
      ['hold', 0],
      ['hold', 2],
    ])
  })

  test('When an open gap names an event, by its event id or its identity, then it is known which', async (the) => {
    const { storage, clock, arrival } = the
    const sale = { kind: 'SaleCreated', deliveries: [] }
    const [byKey, byIdentity] = await storage.accept([
      arrival({ ...sale, transportKey: 'e-1/2' }),
      arrival({ ...sale, identity: 'sale/1%2F2/3' }),
      arrival({ ...sale, transportKey: 'e-3' }),
    ])
    const lacked = {
      source: 'log',
      cause: 'failed',
      kind: 'SaleCreated',
      storeId: null,
      destination: null,
      day: null,
    } as const
    const gaps = ['e-1/2', 'sale/1%2F2/3', 'e-4'].map((subject) => ({
      type: 'see' as const,
      gap: { ...lacked, subject, at: clock.now(), evidence: {} },
    }))
    await storage.saveReconciliation({ gaps }, clock.now())

    expect([...((await namedByGaps(storage)) ?? [])].sort()).toEqual([byKey?.id, byIdentity?.id])
    await storage.explainGaps({}, by(clock.now()))
    expect(await namedByGaps(storage)).toEqual(new Set())
  })
}

interface Going {
  tries?: 1 | 2
  isRefused?: (nth: number) => boolean
  destination?: string
}

async function delivered(the: StoreUnderTest, count: number, going: Going = {}): Promise<number[]> {
  const { storage, clock, arrival } = the
  const { tries = 1, isRefused = () => false, destination = 'shop' } = going
  const arrivals = Array.from({ length: count }, () => arrival({ deliveries: [pending({ destination })] }))
  const ids = (await storage.accept(arrivals)).map(({ id }) => id)
  if (tries === 2) {
    await settle(storage, await claim(storage, { destination, urgency: 'prompt' }), FAILED, clock.now())
    await clock.pass(MINUTE)
  }
  await settleAll(the, (event) => isRefused(ids.indexOf(event)), destination)
  return ids
}

async function settleAll(
  { storage, clock }: StoreUnderTest,
  isRefused: (event: number) => boolean = () => false,
  destination = 'shop',
): Promise<void> {
  for (const one of await claim(storage, { destination, urgency: 'prompt' }))
    await settle(storage, [one], isRefused(one.event.id) ? REFUSED : DELIVERED, clock.now())
}

/** Drops events, also where their keys must be written first. */
async function drop(storage: Storage, ids: number[]) {
  let dropped = await storage.dropEvents(ids)
  while (dropped.seen === 0) dropped = await storage.dropEvents(ids)
  return dropped
}
