import { expect } from 'vitest'
import type { EndpointUse } from '../../../src/domain/health/health.ts'
import { MINUTE } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

const READ: EndpointUse = { operation: 'orders.read', address: 'GET https://pos.example.com/api/Omnichannel', came: '' }

/** What came of operations of the platform that no document shows. */
export function endpointUses(test: StoreTest): void {
  test('When an operation is used, then its first use stays, and with it what came last, until it works', async (the) => {
    const { storage, clock } = the
    const begin = clock.now()
    expect(await storage.endpointUses()).toEqual([])
    await storage.noteEndpointUse({ ...READ, came: 'http-404' }, clock.now())
    const first = { ...READ, firstAt: begin, first: 'http-404' }
    expect(await storage.endpointUses()).toEqual([{ ...first, came: 'http-404', since: begin }])

    await clock.pass(MINUTE)
    await storage.noteEndpointUse({ ...READ, came: 'http-404' }, clock.now())
    await storage.noteEndpointUse({ ...READ, operation: 'orders.delete', came: 'worked' }, clock.now())
    expect(await storage.endpointUses()).toMatchObject([
      { operation: 'orders.delete' },
      { ...first, came: 'http-404', since: begin },
    ])
    await storage.noteEndpointUse({ ...READ, came: 'nothing' }, clock.now())
    await storage.noteEndpointUse({ ...READ, came: 'worked' }, clock.now())
    const worked = { ...first, came: 'worked', since: clock.now() }
    await clock.pass(MINUTE)
    await storage.noteEndpointUse({ ...READ, came: 'http-404' }, clock.now())
    await storage.noteEndpointUse({ ...READ, came: 'worked' }, clock.now())
    const restarted = await the.reopen()
    expect(await restarted.endpointUses()).toContainEqual(worked)
  })

  test('When it is used at another address, then what came of it before says nothing', async ({ storage, clock }) => {
    await storage.noteEndpointUse({ ...READ, came: 'worked' }, clock.now())
    await clock.pass(MINUTE)
    const moved = { ...READ, address: 'GET https://other.example.com/api/Omnichannel', came: 'http-404' }
    await storage.noteEndpointUse(moved, clock.now())
    const now = clock.now()
    expect(await storage.endpointUses()).toEqual([{ ...moved, firstAt: now, first: 'http-404', since: now }])
  })
}
