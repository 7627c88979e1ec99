import { expect } from 'vitest'
import { PULLED } from '../../../../src/domain/queue/event.ts'
import { BUS, by, claim, DELIVERED, FAILED, REFUSED, SECOND, settle, UNCERTAIN } from '../../acting.ts'
import { pending } from '../../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

export function reading(test: StoreTest): void {
  test('When events are listed, then the newest come first, page by page', async (the) => {
    const ids = await seven(the)
    const first = await the.storage.events({ limit: 3 })
    expect(first.map(({ id }) => id)).toEqual(ids.slice(-3).reverse())
    const second = await the.storage.events({ limit: 10, before: first.at(-1)?.id ?? 0 })
    expect(second.map(({ id }) => id)).toEqual(ids.slice(0, -3).reverse())
  })

  test('When events are filtered, then all that is given must hold', async ({ storage, arrival }) => {
    const [a, b, c] = await storage.accept([
      arrival({ kind: 'SaleCreated', entity: 'sale:1', receivedAt: 1_000 }),
      arrival({ kind: 'SaleCreated', entity: 'sale:2', receivedAt: 2_000, deliveries: [] }),
      arrival({ kind: 'InvoiceCreated', receivedAt: 3_000, deliveries: [], problem: 'not JSON' }),
    ])
    const found = async (filter: Parameters<typeof storage.events>[0]) =>
      (await storage.events(filter)).map(({ id }) => id)
    expect(await found({ kind: 'SaleCreated' })).toEqual([b?.id, a?.id])
    expect(await found({ kind: 'SaleCreated', state: 'routed' })).toEqual([a?.id])
    expect(await found({ state: 'quarantined' })).toEqual([c?.id])
    expect(await found({ entity: 'sale:2' })).toEqual([b?.id])
    expect(await found({ since: 2_000 })).toEqual([c?.id, b?.id])
    expect(await found({ until: 2_000 })).toEqual([a?.id])
    expect(await found({ id: b?.id ?? 0 })).toEqual([b?.id])
    expect(await found({ conflict: true })).toEqual([])
  })

  test('When webhooks alone are asked for, then nothing pulled, nothing of own systems and nothing that the hub says is among them', async (the) => {
    const [named, plain] = await the.storage.accept([
      the.arrival({ subscription: '101' }),
      the.arrival({ subscription: null }),
      the.arrival({ subscription: PULLED }),
      the.arrival({ subscription: null, origin: 'erp' }),
      the.arrival({ subscription: null, kind: 'StockLevelRead' }),
    ])
    expect((await the.storage.events({ webhooks: true })).map(({ id }) => id)).toEqual([plain?.id, named?.id])
  })

  test('When a row of an event is read, then it says what the hub knows', async ({ storage, arrival }) => {
    const sale = arrival({ transportKey: 'k-1', identity: 'A', entity: 'sale:A' })
    const [verdict] = await storage.accept([sale])
    const { kind, origin, subscription, receivedAt, body, headers, bodyHash } = sale
    const row = { id: verdict?.id, kind, origin, subscription, receivedAt, state: 'routed', conflictWith: null }
    const rest = {
      transportKey: 'k-1',
      identity: 'A',
      revision: 0,
      entity: 'sale:A',
      problem: null,
      size: body.byteLength,
      sameKeyAs: null,
      dismissedAt: null,
      dismissedBy: null,
      dismissedBecause: null,
    }
    expect(await storage.events({})).toEqual([{ ...row, ...rest }])
    const deliveries = await storage.deliveries({ event: verdict?.id ?? 0 })
    const detail = { ...row, ...rest, audit: [], headers, bodyHash, body: expect.anything(), deliveries }
    expect(await storage.event(verdict?.id ?? 0)).toEqual(detail)
    expect(deliveries).toEqual([
      {
        id: expect.any(Number),
        event: verdict?.id,
        kind,
        flow: 'publish',
        part: '',
        destination: 'shop',
        urgency: 'prompt',
        yields: false,
        entity: null,
        state: 'waiting',
        dueAt: receivedAt,
        open: false,
        tries: 0,
        firstTriedAt: null,
        settledAt: null,
        code: null,
        why: null,
      },
    ])
  })

  test('When there is no such event or delivery, then that is null', async ({ storage }) => {
    expect(await storage.event(1)).toBeNull()
    expect(await storage.delivery(1)).toBeNull()
  })

  test('When skipped effects are asked for by how they begin, then no sign stands for another', async (the) => {
    const { storage, clock, arrival } = the
    const effects = ['A_1/x', 'A_1/å', 'AB1/x', 'a_1/x', 'A_10/x', 'A%1/x', 'A_1'].map((name) => `order/${name}`)
    const deliveries = effects.map((effect, index) => pending({ part: `${index}`, effect }))
    await storage.accept([arrival({ deliveries })])
    expect(await storage.effectsOf('skipped', 'order/')).toEqual([])
    await storage.skip({}, by(clock.now()))
    expect((await storage.effectsOf('skipped', 'order/A_1/')).sort()).toEqual(['order/A_1/x', 'order/A_1/å'])
    expect(await storage.effectsOf('skipped', 'order/A%1/')).toEqual(['order/A%1/x'])
    expect(await storage.effectsOf('skipped', 'order/A*/')).toEqual([])
    expect(await storage.effectsOf('delivered', 'order/')).toEqual([])
  })

  test('When it is asked whether flows are owed to a destination, then what waits, is out or is held counts', async (the) => {
    const { storage, clock, arrival } = the
    const are = (...flows: string[]) => storage.arePending('bus', flows)
    await storage.accept([
      arrival({ deliveries: [pending({ destination: 'bus', flow: 'ship' }), pending({ flow: 'other' })] }),
    ])
    expect([await are('ship'), await are('none', 'ship'), await are('other'), await are()]).toEqual([
      true,
      true,
      false,
      false,
    ])
    const claims = await claim(storage, BUS)
    expect(await are('ship')).toBe(true)
    await settle(storage, claims, REFUSED, clock.now())
    expect(await are('ship')).toBe(false)
  })

  test('When deliveries are listed, then the newest come first, page by page, as filtered', async (the) => {
    const { storage, clock, arrival } = the
    await storage.accept([
      arrival({
        kind: 'SaleCreated',
        receivedAt: 1_000,
        deliveries: [pending({ entity: 'a' }), pending({ destination: 'bus' })],
      }),
      arrival({ receivedAt: 2_000, deliveries: [pending({ flow: 'ship' })] }),
    ])
    await settle(storage, await claim(storage, BUS), REFUSED, clock.now())
    const found = async (filter: Parameters<typeof storage.deliveries>[0]) =>
      (await storage.deliveries(filter)).map(({ flow, destination }) => `${flow} ${destination}`)
    expect(await found({})).toEqual(['ship shop', 'publish bus', 'publish shop'])
    expect(await found({ limit: 1 })).toEqual(['ship shop'])
    const [newest] = await storage.deliveries({ limit: 1 })
    expect(await found({ before: newest?.id ?? 0 })).toEqual(['publish bus', 'publish shop'])
    expect(await found({ kind: 'SaleCreated', destination: 'shop' })).toEqual(['publish shop'])
    expect(await found({ flow: 'ship' })).toEqual(['ship shop'])
    expect(await found({ state: 'dead' })).toEqual(['publish bus'])
    expect(await found({ entity: 'a' })).toEqual(['publish shop'])
    expect(await found({ since: 1_500 })).toEqual(['ship shop'])
    expect(await found({ until: 2_000 })).toEqual(['publish bus', 'publish shop'])
    expect(await found({ id: newest?.id ?? 0 })).toEqual(['ship shop'])
  })

  test('When what a destination has open is counted, then by flow, and what is delivered or skipped is not', async (the) => {
    const { storage, clock, arrival } = the
    const ship = pending({ destination: 'bus', flow: 'ship' })
    await storage.accept([
      arrival({ kind: 'SaleCreated', deliveries: [pending({ destination: 'bus' }), ship, pending()] }),
      arrival({ deliveries: [ship] }),
      arrival({ deliveries: [ship] }),
    ])
    const counts = async (more = {}) =>
      (await storage.pendingByFlow({ destination: 'bus', ...more })).map(({ flow, deliveries }) => [flow, deliveries])
    expect(await counts()).toEqual([
      ['publish', 1],
      ['ship', 3],
    ])
    expect(await counts({ flow: 'ship' })).toEqual([['ship', 3]])
    expect(await counts({ kind: 'SaleCreated', flow: 'ship' })).toEqual([['ship', 1]])

    const claims = await claim(storage, BUS)
    expect(await counts({ flow: 'ship' }), 'what is out').toEqual([['ship', 3]])
    for (const one of claims) {
      const outcome = one.delivery.flow === 'publish' ? DELIVERED : one === claims.at(-1) ? REFUSED : UNCERTAIN
      await settle(storage, [one], outcome, clock.now())
    }
    expect(await counts(), 'held and dead').toEqual([['ship', 3]])
    await storage.skip({}, by(clock.now()))
    expect(await counts()).toEqual([])
  })

  test('When only so much is looked through, then a list says where it goes on', async ({ storage, arrival }) => {
    const kinds = ['SaleCreated', 'InvoiceCreated', 'SaleCreated']
    const [a = 0, b = 0, c = 0] = (await storage.accept(kinds.map((kind) => arrival({ kind })))).map(({ id }) => id)
    const sales = { kind: 'SaleCreated' }
    const rows = (...ids: number[]) => ids.map((id) => ({ id }))
    expect(await storage.lookForEvents(sales, 0)).toEqual({ rows: [], next: c + 1 })
    expect(await storage.lookForEvents(sales, 1)).toMatchObject({ rows: rows(c, a), next: null })
    expect(await storage.lookForEvents({ ...sales, before: c }, 1)).toMatchObject({ rows: rows(a), next: null })
    expect(await storage.lookForEvents({ ...sales, after: a }, 0)).toEqual({ rows: [], next: a })
    expect(await storage.lookForEvents({ ...sales, after: 0 }, 1)).toMatchObject({ rows: rows(a, c), next: null })
    expect(await storage.lookForEvents({}, 0), 'ids alone').toMatchObject({ rows: rows(c, b, a), next: null })

    const [last, , first] = await storage.deliveries({})
    expect(await storage.lookForDeliveries(sales, 0)).toEqual({ rows: [], next: (last?.id ?? 0) + 1 })
    expect(await storage.lookForDeliveries(sales, 1)).toEqual({ rows: [last, first], next: null })
    const before = last?.id ?? 0
    expect(await storage.lookForDeliveries({ ...sales, before }, 1)).toEqual({ rows: [first], next: null })
    expect(await storage.lookForDeliveries({ event: a }, 0), 'by an index').toEqual({ rows: [first], next: null })
  })

  test('When the status is read, then it counts what is not settled well, by queue', async (the) => {
    const { storage, clock, arrival, about } = the
    expect(await storage.status()).toEqual({
      destinations: [],
      events: { unrouted: 0, quarantined: 0, conflicts: 0, reusedKeys: { count: 0, last: null } },
    })
    await storage.accept(['a', 'b', 'c', 'd', 'e'].map((entity) => about(entity)))
    const oldest = clock.now()
    const [delivered, failed, held, dead] = await claim(storage)
    const outcomes = [DELIVERED, FAILED, UNCERTAIN, REFUSED]
    for (const [index, one] of [delivered, failed, held, dead].entries())
      if (one) await settle(storage, [one], outcomes[index] ?? DELIVERED, clock.now())
    await clock.pass(SECOND)
    await storage.accept([
      about('x', { destination: 'bus', urgency: 'bulk', once: true }),
      arrival({ deliveries: [] }),
      arrival({ deliveries: [], problem: 'not JSON' }),
    ])
    await claim(storage, { destination: 'bus', urgency: 'bulk' })
    const { destinations, events } = await storage.status()
    expect(destinations.sort((a, b) => (a.destination < b.destination ? -1 : 1))).toEqual([
      {
        ...{ destination: 'bus', urgency: 'bulk', waiting: 1, retrying: 0, held: 0, dead: 0 },
        ...{ oldest: clock.now(), oldestWaiting: clock.now(), oldestHeld: null },
      },
      {
        ...{ destination: 'shop', urgency: 'prompt', waiting: 2, retrying: 1, held: 1, dead: 1 },
        ...{ oldest, oldestWaiting: oldest, oldestHeld: oldest },
      },
    ])
    expect(events).toMatchObject({ unrouted: 1, quarantined: 1, conflicts: 0 })
    const open = (await storage.pending()).sort((a, b) => (a.destination < b.destination ? -1 : 1))
    expect(open).toEqual([
      { destination: 'bus', open: 1 },
      { destination: 'shop', open: 3 },
    ])
  })
}

async function seven({ storage, arrival }: StoreUnderTest): Promise<number[]> {
  return (await storage.accept(Array.from({ length: 7 }, () => arrival()))).map(({ id }) => id)
}
