import { expect, test } from 'vitest'
import type { SaleBooking } from '../../../src/domain/books/bookings.ts'
import { asking } from '../../cli/run.ts'
import { openBooked } from './books-given.ts'

test('When an ERP has lost the files of some days, then they are written once more, each record under its key', async () => {
  await using store = await openBooked()
  store.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 2 })
  store.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  await store.quiet()
  const before = await store.booked<SaleBooking & { key: string }>('sale')
  expect(before).toHaveLength(2)
  const day = before[0]?.day ?? ''
  const run = asking(store.hub)
  const again = (...more: string[]) =>
    run('files', 'again', '--destination', 'erp', '--from', day, '--to', day, '--flow', 'book-sale', ...more)

  const dry = await again('--dry-run')
  expect(dry.out).toMatch(/^2 records would be written once more\. Nothing was changed\./)
  expect(dry.out).toMatch(new RegExp(`^${day} +book-sale +2$`, 'm'))
  expect((await again()).err).toMatch(/reason: say why/)
  expect((await run('files', 'again', '--destination', 'shop', '--from', day, '--to', day)).err).toMatch(
    /"shop" writes no files; erp does/,
  )
  expect(
    (await run('files', 'again', '--destination', 'erp', '--from', '2020-01-01', '--to', '2020-01-02', '--dry-run'))
      .out,
  ).toMatch(/^0 records/)
  expect(await store.booked('sale')).toHaveLength(2)

  expect((await again('--reason', 'their disk was lost')).out).toMatch(/^2 records are written once more/)
  await store.quiet()

  const after = await store.booked<SaleBooking & { key: string }>('sale')
  expect(after).toHaveLength(4)
  expect(new Set(after.map(({ key }) => key))).toEqual(new Set(before.map(({ key }) => key)))
  expect((await run('audit', 'list', '--action', 'files-again')).out).toMatch(/files-again +2 .*their disk was lost/)
})
