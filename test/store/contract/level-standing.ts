import { expect } from 'vitest'
import { by, claimOne, DELIVERED, deliverAll, REFUSED, settle } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import type { Check } from '../under-test.ts'

const ENTITY = 'available:oslo:7090012340011'

/** How it stands with a level that a destination is told. */
export function levelStanding(check: Check): void {
  check('When a level is told, then its standing says so, from its first event on', async ({ store, clock }) => {
    const standing = () => store.levelStanding('shop', 'publish-stock', ENTITY)
    const level = (digest: string) =>
      createArrivals(clock).about(ENTITY, { flow: 'publish-stock', latestWins: true, digest })
    expect(await standing()).toBeNull()
    await store.accept([level('3')])
    const claim = await claimOne(store)
    const delivery = claim.delivery.id
    expect(await standing()).toEqual({ delivery, state: expect.stringMatching(/^(waiting|claimed)$/) })
    await settle(store, [claim], DELIVERED, clock.now())
    expect(await standing()).toEqual({ delivery: null, state: 'delivered' })
    expect(await store.levelStanding('bus', 'publish-stock', ENTITY)).toBeNull()
  })

  check('When a level is refused, skipped or held, then its standing names the delivery', async ({ store, clock }) => {
    const standing = async () => (await store.levelStanding('shop', 'publish-stock', ENTITY))?.state
    const level = (digest: string) =>
      createArrivals(clock).about(ENTITY, { flow: 'publish-stock', latestWins: true, digest })
    await store.accept([level('3')])
    await deliverAll(store, clock.now())
    await store.accept([level('4')])
    await settle(store, [await claimOne(store)], REFUSED, clock.now())
    expect(await standing()).toBe('dead')
    await store.skip({ destination: 'shop' }, by(clock.now()))
    expect(await standing()).toBe('skipped')
    const refused = { type: 'held', code: 'asked', why: 'a person decides' } as const
    await store.accept([level('5')])
    await settle(store, [await claimOne(store)], refused, clock.now())
    expect(await standing()).toBe('held')
  })
}
