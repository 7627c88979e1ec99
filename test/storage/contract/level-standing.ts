import { expect } from 'vitest'
import { by, claimOne, DELIVERED, deliverAll, REFUSED, settle } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

const ENTITY = 'available:oslo:7090012340011'

/** How it stands with a level that a destination is told. */
export function levelState(test: StoreTest): void {
  test('When a level is told, then its standing says so, from its first event on', async (the) => {
    const { storage, clock, about } = the
    const retained = () => storage.levelState('shop', 'publish-stock', ENTITY)
    const level = (digest: string) => about(ENTITY, { flow: 'publish-stock', latestWins: true, digest })
    expect(await retained()).toBeNull()
    await storage.accept([level('3')])
    const claim = await claimOne(storage)
    const delivery = claim.delivery.id
    expect(await retained()).toEqual({ delivery, state: expect.stringMatching(/^(waiting|claimed)$/) })
    await settle(storage, [claim], DELIVERED, clock.now())
    expect(await retained()).toEqual({ delivery: null, state: 'delivered' })
    expect(await storage.levelState('bus', 'publish-stock', ENTITY)).toBeNull()
  })

  test('When a level is refused, skipped or held, then its standing names the delivery', async (the) => {
    const { storage, clock, about } = the
    const retained = async () => (await storage.levelState('shop', 'publish-stock', ENTITY))?.state
    const level = (digest: string) => about(ENTITY, { flow: 'publish-stock', latestWins: true, digest })
    await storage.accept([level('3')])
    await deliverAll(storage, clock.now())
    await storage.accept([level('4')])
    await settle(storage, [await claimOne(storage)], REFUSED, clock.now())
    expect(await retained()).toBe('dead')
    await storage.skip({ destination: 'shop' }, by(clock.now()))
    expect(await retained()).toBe('skipped')
    const refused = { type: 'held', code: 'asked', why: 'a person decides' } as const
    await storage.accept([level('5')])
    await settle(storage, [await claimOne(storage)], refused, clock.now())
    expect(await retained()).toBe('held')
  })
}
