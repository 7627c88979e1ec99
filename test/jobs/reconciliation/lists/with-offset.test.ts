import { expect, test } from 'vitest'
import { HOUR, MINUTE } from '../../kit.ts'
import { openCompared } from './lists-kit.ts'

const SALE = 'SaleCreated'

test('when a webhook says in UTC when a sale was made after midnight, then the list tells of no other', async () => {
  await using the = await openCompared('2026-11-20T21:00:00Z')
  const { platform, clock, hub } = the
  // These the platform says by the store's clock, as it is documented.
  for (const sku of ['TEE-BLK-M', 'COAT-NVY-M', 'TEE-BLK-M', 'TEE-BLK-M']) {
    clock.advance(MINUTE)
    platform.pos.sell({ store: '101', sku })
  }
  await the.quiet()
  clock.advance(2 * HOUR + 20 * MINUTE)
  platform.faults.set({ drop: 1 })
  platform.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  platform.faults.set({})
  const said = platform.events().findLast(({ kind }) => kind === SALE)
  const sale = Object(said?.payload)
  expect(sale.createdDateTime).toContain('2026-11-21T00:')
  const inUtc = { ...sale, createdDateTime: new Date(clock.now()).toISOString() }
  await hub.post(SALE, inUtc, { eventId: said?.webhookEventId ?? '', subscription: 'all' })
  await the.quiet()

  for (const _ of [1, 2, 3]) {
    clock.advance(HOUR)
    expect(await the.compare()).toMatchObject({ problem: null })
  }
  expect(await the.gaps(SALE)).toEqual([])
  expect(the.events(SALE)).toHaveLength(5)
  expect(await the.until(SALE)).toBeGreaterThan(clock.now() - HOUR)
})
