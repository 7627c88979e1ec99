import { expect } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import { by, MINUTE } from '../acting.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** A person says that nothing is to be done about events that are out of place. */
export function dismissing(test: StoreTest): void {
  test('When events are dismissed, then they stay, say by whom and why, and do not count any more', async (the) => {
    const { storage, clock } = the
    const { routed, unrouted, quarantined, conflict } = await outOfPlace(the)
    expect(await counts(storage)).toEqual({ unrouted: 2, quarantined: 1, conflicts: 1 })

    const dry = await storage.dismiss({ state: 'unrouted', conflict: false }, by(clock.now(), true))
    expect(dry).toMatchObject({ matched: 2, changed: 0, sample: [{ id: unrouted[1] }, { id: unrouted[0] }] })
    expect(await counts(storage)).toEqual({ unrouted: 2, quarantined: 1, conflicts: 1 })

    await the.clock.pass(MINUTE)
    expect(await storage.dismiss({ id: quarantined }, by(clock.now()))).toMatchObject({ matched: 1, changed: 1 })
    expect(await storage.dismiss({ conflict: true }, by(clock.now()))).toMatchObject({ matched: 1, changed: 1 })
    expect(await storage.dismiss({ since: 0 }, by(clock.now()))).toMatchObject({ matched: 2, changed: 2 })

    expect(await counts(storage)).toEqual({ unrouted: 0, quarantined: 0, conflicts: 0 })
    const reported = { dismissedAt: clock.now(), dismissedBy: 'kari', dismissedBecause: 'asked for it' }
    for (const id of [...unrouted, quarantined, conflict]) expect(await storage.event(id)).toMatchObject(reported)
    expect(await storage.event(routed)).toMatchObject({ dismissedAt: null, dismissedBy: null })
    const listed = async (dismissed: boolean) =>
      (await storage.events({ state: 'unrouted', dismissed })).map(({ id }) => id)
    expect([await listed(true), await listed(false)]).toEqual([[conflict, ...unrouted.toReversed()], []])
  })

  test('When one that was dismissed or routed is dismissed, then it is left as it is', async (the) => {
    const { storage, clock } = the
    const { routed, quarantined } = await outOfPlace(the)
    await storage.dismiss({ id: quarantined }, by(clock.now()))
    const first = clock.now()
    await the.clock.pass(MINUTE)

    for (const id of [routed, quarantined])
      expect(await storage.dismiss({ id }, { ...by(clock.now()), by: 'ola' })).toMatchObject({ matched: 0, changed: 0 })

    expect(await storage.event(quarantined)).toMatchObject({ dismissedAt: first, dismissedBy: 'kari' })
  })
}

async function counts(storage: Storage) {
  const { reusedKeys: _, ...rest } = (await storage.status()).events
  return rest
}

/** One that is where it belongs, and others that are not. */
async function outOfPlace({ storage, arrival, about }: StoreUnderTest) {
  const sale = { identity: 'sale/1', exact: false }
  const verdicts = await storage.accept([
    about('a'),
    arrival({ deliveries: [] }),
    arrival({ deliveries: [] }),
    arrival({ deliveries: [], problem: 'not JSON' }),
    arrival({ ...sale, facts: ['1', null, null] }),
    arrival({ ...sale, facts: ['2', null, null] }),
  ])
  const [routed = 0, one = 0, two = 0, quarantined = 0, , conflict = 0] = verdicts.map(({ id }) => id)
  return { routed, unrouted: [one, two], quarantined, conflict }
}
