import { afterAll, expect, test } from 'vitest'
import { claim, claimOne, FAILED, HOUR, LEASE, MINUTE, settlement, wakeAt } from '../acting.ts'
import { createArrivals } from '../arrivals.ts'
import { createPlaces } from './under-test.ts'

/* Another server takes the place of the one of before, and its clock is behind: what lasts by a lease lasts no longer. */

const places = createPlaces()
afterAll(() => places[Symbol.asyncDispose]())

for (const once of [false, true] as const)
  test(`When a hub is gone and the clock is put back by hours, then what it had out is handed out when a lease is over (once: ${once})`, async () => {
    await using the = await places.open({})
    await the.storage.accept([createArrivals(the.clock).about('a', { once })])
    const lost = await claimOne(the.storage)
    await the.clock.pass(-2 * HOUR)
    const other = await the.reopen()
    await the.clock.pass(LEASE + 1)
    expect((await claimOne(other)).delivery).toMatchObject({ id: lost.delivery.id, crashes: 1 })
  })

test('When a call ends while the server is away, and the clock of the next one is hours behind, then it is tried again as soon as it was to be', async () => {
  await using the = await places.open({})
  await the.storage.accept([createArrivals(the.clock).about('a')])
  const result = settlement(await claimOne(the.storage), FAILED, the.clock.now())
  const waits = result.next.dueAt - the.clock.now()
  await the.clock.pass(-2 * HOUR)
  expect(await claim(the.storage)).toEqual([])
  expect(await the.storage.settle([result])).toEqual([true])
  expect(await wakeAt(the.storage)).toBe(the.clock.now() + waits)
})

test('When a hub is gone and the clock is put back by hours, then its job is begun by another when a lease is over', async () => {
  await using the = await places.open({})
  const begin = () => the.storage.beginJob('stores', { now: the.clock.now(), lease: MINUTE })
  expect(await begin()).not.toBeNull()
  await the.clock.pass(-2 * HOUR)
  await the.reopen()
  expect(await begin()).toBeNull()
  await the.clock.pass(MINUTE + 1)
  expect(await begin()).toMatchObject({ row: { underWay: true } })
})
