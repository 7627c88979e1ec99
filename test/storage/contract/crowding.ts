import { expect } from 'vitest'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import { claim, DAY, DELIVERED, deliverAll, FAILED, SHOP, settle, UNCERTAIN } from '../acting.ts'
import { type OpenOptions, openedWith, type StoreTest, type StoreUnderTest } from '../under-test.ts'

/** A store that keeps at most ten deliveries of a queue in memory. */
const TINY: OpenOptions = { window: { items: 10, bytes: 1024 * 1024 } }

/** A queue with more open deliveries than a hub keeps in memory: the rest is not erased, nor are those in front starved. */
export function crowding(anyTest: StoreTest): void {
  const test = openedWith(TINY, anyTest)
  test('When far more is open than fits, then all of it is delivered, each entity in order', async (the) => {
    const entities = Array.from({ length: 120 }, (_, n) => (n % 5 === 0 ? null : `e${n % 13}`))
    const ids = await accept(the, entities)
    expect((await deliverAll(the.storage, the.clock.now(), SHOP, 4)).sort(byNumber)).toEqual(ids)
    expect(await the.storage.pending()).toEqual([])
  })

  anyTest(
    'When bodies are larger than what fits, and a hub takes over, then all of it is delivered, in its order',
    async (the) => {
      const body = Buffer.alloc(2_000, 'x')
      const verdicts = await the.storage.accept(Array.from({ length: 20 }, () => ({ ...the.arrival(), body })))
      await the.reopen()
      const delivered = await deliverAll(the.storage, the.clock.now(), SHOP, 4)
      expect(delivered.sort(byNumber)).toEqual(verdicts.map(({ id }) => id))
    },
    { window: { items: 100, bytes: 5_000 } },
  )

  anyTest(
    'When more than fits of one entity wait behind its first, which is being sent, then other entities pass',
    async (the) => {
      const busy = await accept(
        the,
        Array.from({ length: 60 }, () => 'busy'),
      )
      const first = await claim(the.storage)
      const others = await accept(the, entities('fine', 30))
      expect(await deliverAll(the.storage, the.clock.now())).toEqual(others)
      await settle(the.storage, first, DELIVERED, the.clock.now())
      expect(await deliverAll(the.storage, the.clock.now())).toEqual(busy.slice(1))
    },
    { window: { items: 20, bytes: 1024 * 1024 } },
  )

  for (const [what, outcome] of [
    ['held', UNCERTAIN],
    ['waiting for their next try', FAILED],
  ] as const) {
    test(`When more than fits are ${what}, then what came after them goes out all the same`, async (the) => {
      await accept(the, entities('stuck', 30))
      await tryAll(the, outcome)
      const later = await accept(the, entities('fine', 30))
      expect(await deliverAll(the.storage, the.clock.now())).toEqual(later)
    })

    test(`When a hub takes over with more than fits ${what}, then what came after them goes out`, async (the) => {
      await accept(the, entities('stuck', 30))
      await tryAll(the, outcome)
      const later = await accept(the, entities('fine', 30))
      expect(await deliverAll(await the.reopen(), the.clock.now())).toEqual(later)
    })

    test(`When more than fits stand behind one that is ${what}, then other entities pass`, async (the) => {
      const first = await accept(the, ['a'])
      await tryAll(the, outcome)
      const behind = await accept(
        the,
        Array.from({ length: 30 }, () => 'a'),
      )
      const others = await accept(the, entities('fine', 30))
      expect(await deliverAll(the.storage, the.clock.now())).toEqual(others)
      const at = the.clock.now()
      await the.storage.retry(
        { state: outcome === FAILED ? 'waiting' : 'held', id: 1 },
        { by: 'kari', reason: null, at, dryRun: false },
        true,
      )
      expect(await deliverAll(the.storage, at)).toEqual([...first, ...behind])
    })
  }

  test('When more than fits are not to be made before tomorrow, then what came after them goes out', async (the) => {
    const notBefore = the.clock.now() + DAY
    const tomorrow = await the.storage.accept(entities('later', 30).map((entity) => the.about(entity, { notBefore })))
    const today = await accept(the, entities('fine', 30))
    expect(await deliverAll(the.storage, the.clock.now())).toEqual(today)
    await the.clock.pass(DAY)
    const then = await deliverAll(the.storage, the.clock.now())
    expect(then.sort(byNumber)).toEqual(tomorrow.map(({ id }) => id))
  })
}

function entities(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name}:${n}`)
}

async function accept({ storage, about }: StoreUnderTest, of: (string | null)[]): Promise<number[]> {
  return (await storage.accept(of.map((entity) => about(entity)))).map(({ id }) => id)
}

async function tryAll({ storage, clock }: StoreUnderTest, outcome: Outcome): Promise<void> {
  for (let claims = await claim(storage); claims.length > 0; claims = await claim(storage))
    await settle(storage, claims, outcome, clock.now())
}

function byNumber(a: number, b: number): number {
  return a - b
}
