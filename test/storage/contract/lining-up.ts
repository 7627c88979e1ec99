import { expect } from 'vitest'
import {
  BUS,
  by,
  claim,
  claimCalls,
  claimOne,
  DELIVERED,
  deliverAll,
  eventsOf,
  FAILED,
  LEASE,
  MINUTE,
  PLENTY,
  REFUSED,
  SHOP,
  settle,
} from '../acting.ts'
import { pending } from '../arrivals.ts'
import { type OpenOptions, openedWith, type StoreTest, type StoreUnderTest } from '../under-test.ts'

/** A store that keeps at most ten deliveries of a queue in memory. */
const TINY: OpenOptions = { window: { items: 10, bytes: 1024 * 1024 } }

/** The line of an entity goes by event, and what a person tries again by filter lets the others of its queue go first. */
export function liningUp(test: StoreTest): void {
  takingPlaces(test)
  moving(test)
  yielding(test)
  many(test)
}

function takingPlaces(test: StoreTest): void {
  test('When a dead one is retried while a newer one of its entity waits, then it goes before that', async (the) => {
    const first = await dead(the, 'a')
    const second = await accept(the, 'a')
    await retryOne(the, first)
    expect(await oneByOne(the)).toEqual([first, second])
  })

  test('When one is retried by filter while a newer one is out, then it waits for that', async (the) => {
    const first = await dead(the, 'a')
    const second = await accept(the, 'a')
    const out = await claimOne(the.storage)
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    expect(await claim(the.storage)).toEqual([])
    await settle(the.storage, [out], FAILED, the.clock.now())
    expect(await oneByOne(the)).toEqual([first])
    await the.clock.pass(MINUTE)
    expect(await oneByOne(the)).toEqual([second])
  })

  for (const [what, since] of [
    ['is due', async () => {}],
    [
      'waits for its next try',
      async (the) => await settle(the.storage, await claim(the.storage), FAILED, the.clock.now()),
    ],
  ] satisfies [string, (the: StoreUnderTest) => Promise<unknown>][])
    test(`When an old event owes something late while that of a newer one ${what}, then it goes first`, async (the) => {
      const [first, second] = [await quiet(the, 'a'), await accept(the, 'a')]
      await claim(the.storage, SHOP, { calls: 0 })
      await since(the)
      await the.storage.enqueue(first, [pending({ entity: 'a' })])
      const late = await claimOne(the.storage)
      expect(late.event.id).toBe(first)
      await the.clock.pass(MINUTE)
      expect(await claim(the.storage), 'it is out').toEqual([])
      await settle(the.storage, [late], DELIVERED, the.clock.now())
      expect(await oneByOne(the)).toEqual([second])
    })

  test('When an old event owes something late while that of a newer one is out, then it is next', async (the) => {
    const [first, second, third] = [await quiet(the, 'a'), await accept(the, 'a'), await accept(the, 'a')]
    const out = await claimOne(the.storage)
    await the.storage.enqueue(first, [pending({ entity: 'a' })])
    expect(await claim(the.storage)).toEqual([])
    await the.storage.returnClaims([out.fence])
    expect(await oneByOne(the)).toEqual([first, second, third])
  })

  test('When old events owe batches late, then those go before what gathers behind them', async (the) => {
    const first = await quiet(the, 'a')
    const [second] = await the.storage.accept([the.about('a', { batch: 'b' })])
    await claim(the.storage, SHOP, { calls: 0 })
    await the.storage.enqueue(first, [pending({ entity: 'a', batch: 'b' })])
    await the.clock.pass(MINUTE)
    const late = await claim(the.storage)
    expect(eventsOf(late)).toEqual([first])
    await settle(the.storage, late, DELIVERED, the.clock.now())
    await the.clock.pass(MINUTE)
    expect(eventsOf(await claim(the.storage))).toEqual([second?.id])
  })
}

function moving(test: StoreTest): void {
  test('When deliveries are moved, then they go before newer ones that wait at the other destination', async (the) => {
    const ids: number[] = []
    for (const destination of ['shop', 'bus', 'shop', 'bus']) {
      const [verdict] = await the.storage.accept([the.about('a', { destination })])
      ids.push(verdict?.id ?? 0)
    }
    await claim(the.storage, BUS, { calls: 0 })
    await the.storage.move('shop', 'bus', by(the.clock.now()))
    expect(await deliverAll(the.storage, the.clock.now(), BUS, 1)).toEqual(ids)
  })

  test('When one is moved while it is out, then newer ones at the other destination wait for it', async (the) => {
    const first = await accept(the, 'a')
    const [second] = await the.storage.accept([the.about('a', { destination: 'bus' })])
    const out = await claimOne(the.storage)
    await the.storage.move('shop', 'bus', by(the.clock.now()))
    expect(await claim(the.storage, BUS)).toEqual([])
    await the.storage.returnClaims([out.fence])
    expect(await deliverAll(the.storage, the.clock.now(), BUS, 1)).toEqual([first, second?.id])
  })

  test('When one that is out is moved to where a newer one is out, then each has its own result', async (the) => {
    await accept(the, 'a')
    await the.storage.accept([the.about('a', { destination: 'bus' })])
    const [older, newer] = [await claimOne(the.storage), await claimOne(the.storage, BUS)]
    await the.storage.move('shop', 'bus', by(the.clock.now()))
    expect(await claim(the.storage, BUS)).toEqual([])
    expect(await settle(the.storage, [older], DELIVERED, the.clock.now())).toBe(true)
    expect(await claim(the.storage, BUS)).toEqual([])
    expect(await settle(the.storage, [newer], DELIVERED, the.clock.now())).toBe(true)
    expect(await claim(the.storage, BUS)).toEqual([])
  })
}

function yielding(test: StoreTest): void {
  test('When many are retried by filter, then what comes after them goes first, through a restart too', async (the) => {
    const old = [await dead(the, 'a'), await dead(the, null), await dead(the, 'c')]
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    await claim(the.storage, SHOP, { calls: 0 })
    const fresh = [await accept(the, 'd'), await accept(the, null)]
    await the.reopen()
    expect(await oneByOne(the)).toEqual([...fresh, ...old])
  })

  test('When a fresh one stands behind one that yields, then neither waits for those that yield', async (the) => {
    const old = [await dead(the, 'a'), await dead(the, 'b')]
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    await claim(the.storage, SHOP, { calls: 0 })
    const fresh = await accept(the, 'b')
    expect(await oneByOne(the)).toEqual([old[1], fresh, old[0]])
  })

  test('When one that was retried by filter is retried by its id, then it yields no more', async (the) => {
    const old = [await dead(the, 'a'), await dead(the, 'b')]
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    await retryOne(the, old[1] ?? 0)
    expect(await oneByOne(the)).toEqual([old[1], old[0]])
  })

  test('When there is room for few that yield, then calls are left free, and that is said', async (the) => {
    for (const entity of ['a', 'b', 'c']) await dead(the, entity)
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    const fresh = await accept(the, 'd')
    const few = await the.storage.claim(SHOP, { ...PLENTY, calls: 4, yielding: 2 }, LEASE)
    expect(few.calls).toHaveLength(2)
    expect(few.calls[0]?.[0]?.event.id).toBe(fresh)
    expect(few.yieldingLeft).toBe(true)
    const none = await the.storage.claim(SHOP, { ...PLENTY, calls: 1, yielding: 0 }, LEASE)
    expect(none).toMatchObject({ calls: [], yieldingLeft: true })
    const rest = await the.storage.claim(SHOP, PLENTY, LEASE)
    expect(rest.calls).toHaveLength(2)
    expect(rest.yieldingLeft).toBeUndefined()
  })

  test('When a probe is claimed, then one that yields has its turn before a fresh one that failed', async (the) => {
    const old = await dead(the, 'a')
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    const fresh = await accept(the, 'b')
    const probe = { calls: 1, yielding: 1, ignorePriority: true }
    await claim(the.storage, SHOP, { calls: 0 })
    const first = await claim(the.storage, SHOP, { calls: 1 })
    expect(eventsOf(first)).toEqual([fresh])
    await the.clock.pass(MINUTE)
    await settle(the.storage, first, { ...FAILED, scope: 'destination' }, the.clock.now())
    await the.clock.pass(MINUTE)
    const second = await claim(the.storage, SHOP, probe)
    expect(eventsOf(second)).toEqual([old])
    await settle(the.storage, second, DELIVERED, the.clock.now())
    expect(eventsOf(await claim(the.storage, SHOP, probe))).toEqual([fresh])
  })

  test('When batches are retried by filter, then they go out apart from fresh ones, and after them', async (the) => {
    const old = (await the.storage.accept(['a', 'b'].map((entity) => the.about(entity, { batch: 'b' })))).map(
      ({ id }) => id,
    )
    await claim(the.storage, SHOP, { calls: 0 })
    await the.clock.pass(MINUTE)
    await settle(the.storage, await claim(the.storage), REFUSED, the.clock.now())
    expect(await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)).toMatchObject({ changed: 2 })
    const [fresh] = await the.storage.accept([the.about('c', { batch: 'b' })])
    await claim(the.storage, SHOP, { calls: 0 })
    await the.clock.pass(MINUTE)
    expect((await claimCalls(the.storage)).map(eventsOf)).toEqual([[fresh?.id], old])
  })
}

function many(anyTest: StoreTest): void {
  const test = openedWith(TINY, anyTest)
  test('When more than fits is retried by filter, then a fresh one goes first, and then all of it in order', async (the) => {
    const entities = Array.from({ length: 60 }, (_, n) => `e${n % 20}`)
    const old = (await the.storage.accept(entities.map((entity) => the.about(entity)))).map(({ id }) => id)
    for (let out = await claim(the.storage); out.length > 0; out = await claim(the.storage))
      await settle(the.storage, out, REFUSED, the.clock.now())
    await the.storage.retry({ state: 'dead' }, by(the.clock.now()), false)
    const fresh = await accept(the, 'fresh')
    const went = await oneByOne(the)
    expect(went[0]).toBe(fresh)
    expect(went.toSorted((a, b) => a - b)).toEqual([...old, fresh])
    for (let n = 0; n < 20; n += 1) {
      const ofEntity = went.filter((id) => old.includes(id) && (id - (old[0] ?? 0)) % 20 === n)
      expect(ofEntity, `e${n}`).toEqual(ofEntity.toSorted((a, b) => a - b))
    }
  })

  for (const yields of [false, true])
    test(`When more than fits is owed late${yields ? ', and yields' : ''}, then nothing is lost, and lines are in order`, async (the) => {
      const old = (await the.storage.accept(Array.from({ length: 40 }, () => the.arrival({ deliveries: [] })))).map(
        ({ id }) => id,
      )
      const fresh = (await the.storage.accept(old.map((_, n) => the.about(`e${n}`)))).map(({ id }) => id)
      await claim(the.storage, SHOP, { calls: 0 })
      for (const [n, id] of old.entries()) await the.storage.enqueue(id, [pending({ entity: `e${n}`, yields })])
      const went = await oneByOne(the)
      expect(went.toSorted((a, b) => a - b)).toEqual([...old, ...fresh])
      for (const [n, id] of old.entries()) expect(went.indexOf(id)).toBeLessThan(went.indexOf(fresh[n] ?? 0))
    })
}

/** An event that owes a delivery about this entity. */
async function accept({ storage, about }: StoreUnderTest, entity: string | null): Promise<number> {
  const [verdict] = await storage.accept([about(entity)])
  return verdict?.id ?? 0
}

async function quiet({ storage, arrival }: StoreUnderTest, entity: string): Promise<number> {
  const [verdict] = await storage.accept([arrival({ entity, deliveries: [] })])
  return verdict?.id ?? 0
}

async function dead(the: StoreUnderTest, entity: string | null): Promise<number> {
  const event = await accept(the, entity)
  await settle(the.storage, [await claimOne(the.storage)], REFUSED, the.clock.now())
  return event
}

async function retryOne({ storage, clock }: StoreUnderTest, event: number): Promise<void> {
  const [row] = await storage.deliveries({ event })
  await storage.retry({ id: row?.id ?? 0 }, by(clock.now()), false)
}

/** The events in the order in which they go out, one at a time. */
async function oneByOne({ storage, clock }: StoreUnderTest): Promise<number[]> {
  return await deliverAll(storage, clock.now(), SHOP, 1)
}
