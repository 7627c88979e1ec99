import { expect } from 'vitest'
import type { NewDelivery, Verdict } from '../../../../src/storage/arrival.ts'
import type { Claim } from '../../../../src/storage/claim.ts'
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
  LINGER,
  REFUSED,
  SECOND,
  SHOP,
  settle,
  settlement,
  UNCERTAIN,
} from '../../acting.ts'
import { pending } from '../../arrivals.ts'
import { type OpenOptions, openedWith, type StoreTest, type StoreUnderTest } from '../../under-test.ts'

const TINY: OpenOptions = { window: { items: 2, bytes: 1024 * 1024 } }

/** Where only the newest matters: older ones that wait are not made, and what the destination has is not sent again. */
export function superseding(test: StoreTest): void {
  newest(test)
  unchanged(test)
  uncertain(test)
}

function newest(test: StoreTest): void {
  for (const [what, options] of [
    ['', {}],
    [', though most of them are in the file alone', TINY],
  ] as const) {
    const testSo = openedWith(options, test)
    testSo(`When a newer one comes, then older ones that wait are superseded${what}`, async (the) => {
      await accept(the, 'other', {})
      const old = [await accept(the, 'a'), await accept(the, 'a')]
      await claim(the.storage, BUS)
      const newer = await accept(the, 'a')
      expect(await the.storage.deliveries({ entity: 'a', state: 'superseded' })).toMatchObject(
        old
          .reverse()
          .map((event) => ({ event, code: 'superseded', why: 'a newer one came', settledAt: the.clock.now() })),
      )
      expect(await deliverAll(the.storage, the.clock.now())).toEqual([1, newer])
      expect(await the.storage.pending()).toEqual([])
    })
  }

  test('When an older one is dead or skipped, then it cannot be tried again once a newer one came', async (the) => {
    const now = the.clock.now()
    await accept(the, 'a')
    await settle(the.storage, [await claimOne(the.storage)], REFUSED, now)
    const skipped = await accept(the, 'b')
    await the.storage.skip({ event: skipped }, by(now))
    const newer = [await accept(the, 'a'), await accept(the, 'b')]
    for (const which of [{ state: 'dead' as const }, { event: skipped }])
      expect(await the.storage.retry(which, by(now), false)).toMatchObject({ matched: 0 })
    expect(await deliverAll(the.storage, now)).toEqual(newer)
  })

  const ENDS: [string, (the: StoreUnderTest, out: Claim) => Promise<number>][] = [
    [
      'is refused after a newer one came',
      async (the, out) => {
        const newer = await accept(the, 'a')
        await settle(the.storage, [out], REFUSED, the.clock.now())
        return newer
      },
    ],
    [
      'is being refused while a newer one comes',
      async (the, out) =>
        (await Promise.all([accept(the, 'a'), settle(the.storage, [out], REFUSED, the.clock.now())]))[0],
    ],
    [
      'fails after a newer one came, and is skipped by a person before that goes out',
      async (the, out) => {
        const newer = await accept(the, 'a')
        await settle(the.storage, [out], FAILED, the.clock.now())
        await the.storage.skip({ event: out.event.id }, by(the.clock.now()))
        return newer
      },
    ],
  ]
  for (const [how, end] of ENDS)
    test(`When one that is out ${how}, then nobody can make the old one again`, async (the) => {
      const now = the.clock.now()
      await accept(the, 'a')
      const out = await claimOne(the.storage)
      const newer = await end(the, out)
      expect(await deliverAll(the.storage, now)).toEqual([newer])
      await the.storage.retry({ id: out.delivery.id }, by(now), false)
      expect(await deliverAll(the.storage, now)).toEqual([])
    })

  test('When one is out, then it is not superseded, and the newest goes out after it', async (the) => {
    const first = await accept(the, 'a')
    const out = await claimOne(the.storage)
    const second = await accept(the, 'a')
    const third = await accept(the, 'a')
    expect(await claim(the.storage)).toEqual([])
    expect(await settle(the.storage, [out], DELIVERED, the.clock.now())).toBe(true)
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([third])
    expect(await statesOf(the)).toEqual({ [first]: 'delivered', [second]: 'superseded', [third]: 'delivered' })
  })

  test('When one that is out fails after a newer one came, then both are made, in their order', async (the) => {
    const first = await accept(the, 'a')
    const out = await claimOne(the.storage)
    const second = await accept(the, 'a')
    await settle(the.storage, [out], FAILED, the.clock.now())
    await the.clock.pass(10 * SECOND)
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([first, second])
  })

  test('When flow, part, entity or destination differ, then nothing is superseded', async (the) => {
    const one = await accept(the, 'a')
    for (const given of [
      { flow: 'other' },
      { part: 'other' },
      { entity: 'b' },
      { destination: 'bus' },
      { latestWins: false },
    ])
      await accept(the, 'a', given)
    expect(await the.storage.deliveries({ state: 'superseded' })).toEqual([])
    expect(eventsOf(await claim(the.storage))).toContain(one)
  })

  test('When they come in one list, then the last of them is made', async (the) => {
    await claim(the.storage)
    const verdicts = await the.storage.accept(
      ['a', 'b', 'a', 'b', 'a'].map((entity) => the.about(entity, { latestWins: true })),
    )
    expect(await deliverAll(the.storage, the.clock.now())).toEqual(verdicts.slice(3).map(({ id }) => id))
  })

  test('When a hub takes over, then what was superseded stays so', async (the) => {
    await accept(the, 'a')
    const newer = await accept(the, 'a')
    expect(await deliverAll(await the.reopen(), the.clock.now())).toEqual([newer])
    const newest = await accept(the, 'a')
    expect(await deliverAll(await the.reopen(), the.clock.now())).toEqual([newest])
  })

  test('When events are planned again, then that of the newest is made, whichever comes last', async (the) => {
    const verdicts = await the.storage.accept([1, 2, 3].map(() => the.arrival({ deliveries: [] })))
    const [first, second, third] = verdicts.map(({ id }) => id) as [number, number, number]
    const step = [pending({ entity: 'a', latestWins: true })]
    expect(await the.storage.enqueue(second, step)).toBe(1)
    await claim(the.storage, SHOP, { calls: 0 })
    await the.storage.enqueue(first, step)
    expect(await statesOf(the)).toEqual({ [first]: 'superseded', [second]: 'waiting' })
    await the.storage.enqueue(third, step)
    expect(await deliverAll(the.storage, the.clock.now())).toEqual([third])
  })

  test('When a newer one comes while the older is being claimed, then neither is lost', async (the) => {
    for (let round = 0; round < 20; round++) {
      const first = await accept(the, 'a', { once: round % 2 === 0, digest: `${round}` })
      const claiming = claim(the.storage)
      const [second, out] = await Promise.all([accept(the, 'a', { digest: `${round}!` }), claiming])
      await the.storage.returnClaims(out.splice(0).map(({ fence }) => fence))
      const events = await deliverAll(the.storage, the.clock.now())
      expect(events.at(-1)).toBe(second)
      const states = await statesOf(the)
      expect(states[second]).toBe('delivered')
      expect(states[first]).toBe(events.length === 2 ? 'delivered' : 'superseded')
    }
  })
}

function unchanged(test: StoreTest): void {
  test('When the destination acknowledged the same last, then the claim says so, through a restart', async (the) => {
    expect(await send(the, 'A')).toBe(false)
    expect(await send(the, 'A')).toBe(true)
    await the.reopen()
    expect(await send(the, 'A')).toBe(true)
    expect(await send(the, 'B')).toBe(false)
    expect(await send(the, 'A')).toBe(false)
  })

  test('When nothing need be sent, then it is superseded, and what was acknowledged stays', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'A' })
    const one = await claimOne(the.storage)
    const outcome = { type: 'superseded', code: 'unchanged', why: 'it is there already' } as const
    expect(await settle(the.storage, [one], outcome, the.clock.now())).toBe(true)
    const row = { state: 'superseded', code: 'unchanged', settledAt: the.clock.now(), why: 'it is there already' }
    expect(await the.storage.delivery(one.delivery.id)).toMatchObject({ ...row, attempts: [{ outcome: 'superseded' }] })
    expect(await claim(the.storage)).toEqual([])
    expect(await send(the, 'A')).toBe(true)
  })

  test('When it is forced, or has no digest, then it is sent', async (the) => {
    await send(the, 'A')
    expect(await send(the, 'A', { force: true })).toBe(false)
    expect(await send(the, null)).toBe(false)
  })

  test('When flow, entity or destination differ, then each has its own', async (the) => {
    await send(the, 'A')
    expect(await send(the, 'A', { flow: 'other' })).toBe(false)
    expect(await send(the, 'A', { entity: 'b' })).toBe(false)
    await accept(the, 'a', { digest: 'A', destination: 'bus' })
    expect((await claimOne(the.storage, BUS)).unchanged).toBe(false)
  })

  test('When it is moved to another destination, then it is compared with what that one has', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'A' })
    await the.storage.move('shop', 'bus', by(the.clock.now()))
    const moved = await claimOne(the.storage, BUS)
    expect(moved.unchanged).toBe(false)
    await settle(the.storage, [moved], DELIVERED, the.clock.now())
    await accept(the, 'a', { digest: 'A', destination: 'bus' })
    expect((await claimOne(the.storage, BUS)).unchanged).toBe(true)
  })

  test('When it was refused, then what was acknowledged before still counts', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'B' })
    await settle(the.storage, [await claimOne(the.storage)], REFUSED, the.clock.now())
    expect(await send(the, 'A')).toBe(true)
  })

  test('When it was delivered to nobody (a dry run), or in part, then it does not count', async (the) => {
    await accept(the, 'a', { digest: 'A' })
    const one = await claimOne(the.storage)
    await the.storage.settle([{ ...settlement(one, DELIVERED, the.clock.now()), isPartial: true }])
    expect(await send(the, 'A')).toBe(false)
  })

  test('When several of a batch are unchanged, then each says so for itself', async (the) => {
    await send(the, 'A', { entity: 'b' })
    for (const entity of ['a', 'b', 'c']) await accept(the, entity, { digest: 'A', batch: 'x' })
    await claim(the.storage)
    await the.clock.pass(LINGER)
    const [call = []] = await claimCalls(the.storage)
    expect(call.map(({ unchanged, delivery }) => [delivery.entity, unchanged])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
    ])
  })
}

/** The destination may have something else than it acknowledged: then all is sent. */
function uncertain(test: StoreTest): void {
  for (const whenUnknown of ['repeat', 'hold'] as const)
    test(`When a call had no answer (${whenUnknown}), then the same as before it is sent again`, async (the) => {
      await send(the, 'A')
      await accept(the, 'a', { digest: 'B', latestWins: true })
      const one = await claimOne(the.storage)
      await the.storage.settle([settlement(one, UNCERTAIN, the.clock.now(), whenUnknown)])
      await the.storage.skip({ id: one.delivery.id }, by(the.clock.now()))
      expect(await send(the, 'A')).toBe(false)
    })

  test('When a call that says the same had no answer, then what is there is known all the same', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'A', force: true })
    const one = await claimOne(the.storage)
    await the.storage.settle([settlement(one, UNCERTAIN, the.clock.now())])
    await the.storage.skip({ id: one.delivery.id }, by(the.clock.now()))
    expect(await send(the, 'A')).toBe(true)
  })

  test('When a person ends one that says nothing but its version, then what is there is not known', async (the) => {
    await send(the, 'A', { version: 1 })
    await accept(the, 'a', { digest: null, version: 2 })
    const one = await claimOne(the.storage)
    await the.storage.skip({}, by(the.clock.now()))
    await the.storage.returnClaims([one.fence])
    expect(await send(the, 'A', { version: 3 })).toBe(false)
  })

  test('When a hub died with a call out, and a newer one says what was there before, then it is sent', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'B' })
    await claimOne(the.storage)
    await the.reopen()
    await the.clock.pass(LEASE)
    await accept(the, 'a', { digest: 'A' })
    expect((await claimOne(the.storage)).unchanged).toBe(false)
  })

  test('When a hub died with a call out, and that is then refused, then what was there before is sent', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'B' })
    await claimOne(the.storage)
    await the.reopen()
    await the.clock.pass(LEASE)
    await settle(the.storage, [await claimOne(the.storage)], REFUSED, the.clock.now())
    expect(await send(the, 'A')).toBe(false)
  })

  test('When a person skips one that is out, and it is delivered all the same, then that counts', async (the) => {
    await send(the, 'A')
    await accept(the, 'a', { digest: 'B' })
    const one = await claimOne(the.storage)
    await the.storage.skip({}, by(the.clock.now()))
    expect(await settle(the.storage, [one], DELIVERED, the.clock.now())).toBe(false)
    expect(await send(the, 'B')).toBe(true)
    expect(await send(the, 'A')).toBe(false)
  })
}

/** An event about an entity of which only the newest matters; its id. */
async function accept(
  { storage, about }: StoreUnderTest,
  entity: string,
  given: Partial<NewDelivery> = {},
): Promise<number> {
  const [verdict] = await storage.accept([about(entity, { latestWins: true, ...given })])
  return (verdict as Verdict).id
}

/** One about `a` is accepted, claimed and delivered. Whether the claim said that nothing need be sent. */
async function send(the: StoreUnderTest, digest: string | null, given: Partial<NewDelivery> = {}): Promise<boolean> {
  await accept(the, 'a', { digest, ...given })
  const one = await claimOne(the.storage)
  await settle(the.storage, [one], DELIVERED, the.clock.now())
  return one.unchanged
}

async function statesOf({ storage }: StoreUnderTest): Promise<Record<number, string>> {
  const rows = await storage.deliveries({ limit: 1_000 })
  return Object.fromEntries(rows.map(({ event, state }) => [event, state]))
}
