import { afterAll, expect, test } from 'vitest'
import { claim, claimOne, HOUR, LEASE, MINUTE } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { createPlaces } from './under-test.ts'

/* Another server takes the place of the one of before, and its clock is behind: what lasts by a lease lasts no longer. */

const places = createPlaces()
afterAll(() => places[Symbol.asyncDispose]())

test('When a hub is gone and the clock is put back by hours, then what it had out is handed out when a lease is over', async () => {
  await using the = await places.open({})
  await the.store.accept([createArrivals(the.clock).about('a')])
  const lost = await claimOne(the.store)
  await the.clock.pass(-2 * HOUR)
  const other = await the.reopen()
  expect(await claim(other)).toEqual([])
  await the.clock.pass(LEASE + 1)
  expect((await claimOne(other)).delivery).toMatchObject({ id: lost.delivery.id, tries: 1 })
})

test('When a hub is gone and the clock is put back by hours, then its job is begun by another when a lease is over', async () => {
  await using the = await places.open({})
  const begin = () => the.store.beginJob('stores', { now: the.clock.now(), lease: MINUTE })
  expect(await begin()).not.toBeNull()
  await the.clock.pass(-2 * HOUR)
  await the.reopen()
  expect(await begin()).toBeNull()
  await the.clock.pass(MINUTE + 1)
  expect(await begin()).toMatchObject({ row: { underWay: true } })
})
