import { expect } from 'vitest'
import { claim, claimCalls, DELIVERED, eventsOf, LINGER, SHOP, settle, wakeAt } from '../acting.ts'
import { pending } from '../arrivals.ts'
import { type OpenOptions, openedWith, type StoreTest, type StoreUnderTest } from '../under-test.ts'

/** Ten single deliveries, or fifty that go out together. */
const TINY: OpenOptions = { window: { items: 10, bytes: 20_000 } }

/** Deliveries that go out together: when, how many, and how they share the queue with others. */
export function batching(test: StoreTest): void {
  waiting(test)
  filling(test)
  overflowing(test)
  sharing(test)
}

function waiting(test: StoreTest): void {
  test('When a batch is not full, then it waits until nothing was added for a while, then goes out', async (the) => {
    const ids = await accept(the, ['a', 'b'])
    expect(await claimCalls(the.storage)).toEqual([])
    expect(await wakeAt(the.storage)).toBe(the.clock.now() + LINGER)
    await the.clock.pass(LINGER - 1)
    ids.push(...(await accept(the, ['c'])))
    await the.clock.pass(LINGER - 1)
    expect(await claimCalls(the.storage)).toEqual([])
    await the.clock.pass(1)
    expect((await claimCalls(the.storage)).map(eventsOf)).toEqual([ids])
    expect(await wakeAt(the.storage)).toBeNull()
  })

  test('When others are added all the time, then a batch waits ten times as long at most', async (the) => {
    const ids = await accept(the, ['e0'])
    await claim(the.storage)
    for (let n = 1; n <= 19; n++) {
      await the.clock.pass(LINGER / 2)
      ids.push(...(await accept(the, [`e${n}`])))
      expect(await claimCalls(the.storage)).toEqual([])
    }
    expect(await wakeAt(the.storage)).toBe(the.clock.now() + LINGER / 2)
    await the.clock.pass(LINGER / 2)
    expect((await claimCalls(the.storage)).map(eventsOf)).toEqual([ids])
  })

  test('When a hub takes over, then what gathered gathers again, and goes out', async (the) => {
    const ids = await accept(the, ['a', 'b'])
    await claim(the.storage)
    const storage = await the.reopen()
    expect(await claimCalls(storage)).toEqual([])
    await the.clock.pass(LINGER)
    expect((await claimCalls(storage)).map(eventsOf)).toEqual([ids])
  })

  test('When batches differ in their name or their flow, then each goes out alone', async (the) => {
    const a = await accept(the, ['a1', 'a2'], 'a')
    const b = await accept(the, ['b1'], 'b')
    const c = await accept(the, ['a1', 'c1'], 'a', 'other')
    await claim(the.storage)
    await the.clock.pass(LINGER)
    expect((await claimCalls(the.storage)).map(eventsOf)).toEqual([a, b, c.slice(1)])
  })
}

function filling(test: StoreTest): void {
  test('When a batch is full, then it goes out at once, and the rest waits for more', async (the) => {
    const ids = await accept(the, names(7))
    const most = { batch: { items: 3, bytes: 1_000_000, linger: LINGER } }
    expect((await claimCalls(the.storage, SHOP, most)).map(eventsOf)).toEqual([ids.slice(0, 3), ids.slice(3, 6)])
    expect(await claimCalls(the.storage, SHOP, most)).toEqual([])
    await the.clock.pass(LINGER)
    expect((await claimCalls(the.storage, SHOP, most)).map(eventsOf)).toEqual([ids.slice(6)])
  })

  test('When a batch has bytes enough, then it goes out at once, and one that is too large goes alone', async (the) => {
    const ids = await accept(the, names(3), 'b', 'publish', 400)
    ids.push(...(await accept(the, ['large'], 'b', 'publish', 5_000)))
    ids.push(...(await accept(the, ['last'], 'b', 'publish', 400)))
    const most = { batch: { items: 100, bytes: 1_000, linger: LINGER } }
    const calls = [ids.slice(0, 2), ids.slice(2, 3), ids.slice(3, 4)]
    expect((await claimCalls(the.storage, SHOP, most)).map(eventsOf)).toEqual(calls)
    await the.clock.pass(LINGER)
    expect((await claimCalls(the.storage, SHOP, most)).map(eventsOf)).toEqual([ids.slice(4)])
  })

  test('When an entity has several, then one of them is in a batch, and the next in a later one', async (the) => {
    const [a1, b1, a2] = await accept(the, ['a', 'b', 'a'])
    await claim(the.storage)
    await the.clock.pass(LINGER)
    const [first = []] = await claimCalls(the.storage)
    expect(eventsOf(first)).toEqual([a1, b1])
    await settle(the.storage, first, DELIVERED, the.clock.now())
    expect(await claimCalls(the.storage)).toEqual([])
    await the.clock.pass(LINGER)
    expect((await claimCalls(the.storage)).map(eventsOf)).toEqual([[a2]])
  })
}

function overflowing(anyTest: StoreTest): void {
  const test = openedWith(TINY, anyTest)
  test('When the rest of a batch is still in the file, then it is read first, and the batch goes out full', async (the) => {
    const ids = await accept(the, names(60))
    const storage = await the.reopen()
    const most = { calls: 1, batch: { items: 20, bytes: 1_000_000, linger: LINGER } }
    for (const from of [0, 20, 40])
      expect((await claimCalls(storage, SHOP, most)).map(eventsOf)).toEqual([ids.slice(from, from + 20)])
    expect(await claimCalls(storage, SHOP, most)).toEqual([])
  })

  test('When more batches gather than memory holds, then they go out as they are, and nothing is left', async (the) => {
    const ids: number[] = []
    for (let n = 0; n < 40; n++) ids.push(...(await accept(the, names(3, `${n}-`), `batch ${n}`)))
    const most = { batch: { items: 20, bytes: 1_000_000, linger: LINGER } }
    const out: number[] = []
    for (let round = 0; round < 20 && out.length < ids.length; round++) {
      const calls = await claimCalls(the.storage, SHOP, most)
      for (const call of calls) {
        expect(new Set(call.map(({ delivery }) => delivery.batch)).size).toBe(1)
        await settle(the.storage, call, DELIVERED, the.clock.now())
      }
      out.push(...eventsOf(calls.flat()))
      if (calls.length === 0) await the.clock.pass(LINGER)
    }
    expect(out.sort((a, b) => a - b)).toEqual(ids)
  })
}

function sharing(test: StoreTest): void {
  test('When single ones and batches are due, then the oldest call goes first', async (the) => {
    const batch = await accept(the, ['a', 'b'])
    const [before] = await the.storage.accept([the.about('x')])
    await claim(the.storage, SHOP, { calls: 0 })
    expect(eventsOf(await claim(the.storage, SHOP, { calls: 1 })), 'nobody waits for a batch').toEqual([before?.id])
    const [after] = await the.storage.accept([the.about('y')])
    await the.clock.pass(LINGER)
    expect((await claimCalls(the.storage, SHOP, { calls: 1 })).map(eventsOf)).toEqual([batch])
    expect((await claimCalls(the.storage, SHOP, { calls: 1 })).map(eventsOf)).toEqual([[after?.id]])
  })
}

async function accept(
  { storage, arrival }: StoreUnderTest,
  entities: string[],
  batch = 'b',
  flow = 'publish',
  size = 10,
): Promise<number[]> {
  const arrivals = entities.map((entity) =>
    arrival({
      body: Buffer.alloc(size, 0x31),
      identity: `${entity}-${Math.random()}`,
      deliveries: [pending({ entity, batch, flow })],
    }),
  )
  return (await storage.accept(arrivals)).map(({ id }) => id)
}

function names(count: number, prefix = 'e'): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`)
}
