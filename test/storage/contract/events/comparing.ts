import { expect } from 'vitest'
import type { Arrival, NewDelivery } from '../../../../src/storage/arrival.ts'
import { by, claimOne, DELIVERED, deliverAll, settle, settlement, UNCERTAIN } from '../../acting.ts'
import { pending } from '../../arrivals.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

/** What destinations acknowledged, by its subject: the same is not sent again, and what is older must not be. */
export function comparing(test: StoreTest): void {
  test('When the destination acknowledged a newer one, then an older one is stale', async (the) => {
    expect(await send(the, { digest: '5', version: 20 })).toEqual([false, false])
    expect(await send(the, { digest: '7', version: 10 })).toEqual([false, true])
    expect(await send(the, { digest: '7', version: 15 })).toEqual([false, true])
    expect(await send(the, { digest: '5', version: 20 })).toEqual([true, false])
    await the.reopen()
    expect(await send(the, { digest: '7', version: 19, force: true })).toEqual([false, true])
    expect(await send(the, { digest: '8', version: 21 })).toEqual([false, false])
    expect(await send(the, { digest: '5', version: 20 })).toEqual([false, true])
  })

  test('When nobody knows what landed, then it is sent again, but nothing older', async (the) => {
    await send(the, { digest: 'A', version: 2 })
    await accept(the, { digest: 'B', version: 3 })
    await the.storage.settle([settlement(await claimOne(the.storage), UNCERTAIN, the.clock.now(), 'hold')])
    await the.storage.skip({ state: 'held' }, by(the.clock.now()))
    expect(await send(the, { digest: 'A', version: 1 })).toEqual([false, true])
    expect(await send(the, { digest: 'A', version: 2 })).toEqual([false, false])
  })

  test('When an older version comes after a newer one that waits, then the newer one is made', async (the) => {
    const latest = (digest: string, version: number) => accept(the, { digest, version, latestWins: true })
    await latest('1', 1)
    const newest = await latest('3', 3)
    await latest('2', 2)
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([newest])
  })

  test('When an older one that was out lands after a newer one, then the newer one is what the destination has', async (the) => {
    const about = (version: number, entity: string) => ({
      digest: `${version}`,
      version,
      subject: 'customer:1',
      entity,
    })
    await accept(the, about(1, 'a'))
    const older = await claimOne(the.storage)
    await accept(the, about(2, 'b'))
    const newer = await claimOne(the.storage)
    await settle(the.storage, [newer], DELIVERED, the.clock.now())
    await settle(the.storage, [older], DELIVERED, the.clock.now())
    expect(await send(the, about(1, 'a'))).toEqual([false, true])
    expect(await send(the, about(2, 'c'))).toEqual([true, false])
  })

  test('When an older event is planned again after a newer one of its line was made, then it is stale', async (the) => {
    const { storage, arrival } = the
    const [verdict] = await storage.accept([arrival({ deliveries: [] })])
    const older = verdict?.id ?? 0
    expect(await send(the, { latestWins: true })).toEqual([false, false])
    expect(await storage.enqueue(older, [pending({ entity: 'a', latestWins: true })])).toBe(1)
    expect(await claimOne(storage)).toMatchObject({ stale: true, event: { id: older } })
  })

  test('When an older one is moved to where a newer one was made, then it is stale there', async (the) => {
    const { storage, clock } = the
    await accept(the, { destination: 'bus', latestWins: true })
    await send(the, { latestWins: true })
    await storage.move('bus', 'shop', by(clock.now()))
    expect(await claimOne(storage)).toMatchObject({ stale: true })
  })

  test('When the newest wins, and events say themselves which it is, then what says nothing is sent', async (the) => {
    await send(the, { latestWins: true, version: 1_700_000_000_000 })
    expect(await send(the, { latestWins: true, version: null })).toEqual([false, false])
  })

  test('When the subject is not the entity, then it is what is compared', async (the) => {
    await send(the, { digest: 'A', subject: 'customer:1', entity: 'a' })
    expect(await send(the, { digest: 'A', subject: 'customer:1', entity: 'b' })).toEqual([true, false])
    expect(await send(the, { digest: 'A', subject: 'customer:2', entity: 'a' })).toEqual([false, false])
    expect(await send(the, { digest: 'A', entity: 'a' })).toEqual([false, false])
    expect(await send(the, { digest: 'A', subject: 'customer:1', entity: null })).toEqual([true, false])
  })

  test('When a subject gets another name, then what its entity was before is stale all the same', async (the) => {
    await send(the, { digest: 'A', version: 2, subject: 'customer-ext:7', entity: 'customer:1' })
    const before = { digest: 'B', subject: 'customer:1', entity: 'customer:1' }
    expect(await send(the, { ...before, version: 1 })).toEqual([false, true])
    expect(await send(the, { ...before, version: 3 })).toEqual([false, false])
    expect(await send(the, { digest: 'B', version: 2, subject: 'customer-ext:8', entity: 'customer:1' })).toEqual([
      false,
      true,
    ])
  })

  test('When nothing was left to do about a subject, then what is older is stale, and what it has is known', async (the) => {
    const about = { subject: 'customer-ext:7', entity: 'customer:1' }
    await send(the, { ...about, digest: 'A', version: 1 })
    await accept(the, { ...about, digest: 'gone', version: 3 })
    const over = { type: 'superseded', code: 'nothing-left', why: 'deleted' } as const
    await settle(the.storage, [await claimOne(the.storage)], over, the.clock.now())
    expect(await send(the, { ...about, digest: 'B', version: 2 })).toEqual([false, true])
    expect(await send(the, { digest: 'B', version: 2, entity: 'customer:1' })).toEqual([false, true])
    expect(await send(the, { ...about, digest: 'A', version: 4 })).toEqual([true, false])
  })

  test('When a system submits what it knows, then that does not come back to it, unless it differs', async (the) => {
    await the.storage.accept([submitted(the, 'A')])
    const back = { digest: 'A', subject: 'customer-ext:7' }
    expect(await send(the, back)).toEqual([true, false])
    expect(await send(the, { ...back, digest: 'B' })).toEqual([false, false])
    await the.storage.accept([submitted(the, 'A')])
    expect(await send(the, back)).toEqual([true, false])
    const copy = submitted(the, 'C', 'k')
    await the.storage.accept([copy])
    await send(the, { ...back, digest: 'D' })
    expect(await the.storage.accept([copy])).toMatchObject([{ status: 'duplicate' }])
    expect(await send(the, { ...back, digest: 'C' })).toEqual([false, false])
  })
}

function submitted({ arrival }: StoreUnderTest, digest: string, transportKey: string | null = null): Arrival {
  const acknowledges = [{ destination: 'shop', flow: 'publish', subject: 'customer-ext:7', digest }]
  return arrival({ deliveries: [], transportKey, acknowledges })
}

async function accept({ storage, arrival }: StoreUnderTest, given: Partial<NewDelivery>): Promise<number> {
  const [verdict] = await storage.accept([arrival({ deliveries: [pending({ entity: 'a', ...given })] })])
  return verdict?.id ?? 0
}

/** One is accepted, claimed and ended as a worker would: whether it was unchanged, and whether stale. */
async function send(the: StoreUnderTest, given: Partial<NewDelivery>): Promise<[boolean, boolean]> {
  await accept(the, given)
  const { storage, clock } = the
  const one = await claimOne(storage)
  const { unchanged, stale } = one
  const notMade = { type: 'superseded', code: 'not-made', why: 'not needed' } as const
  await settle(storage, [one], unchanged || stale ? notMade : DELIVERED, clock.now())
  return [unchanged, stale]
}
