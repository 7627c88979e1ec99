import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import type { BookedAgain } from '../../../src/ingest/book-again.ts'
import { interrupted } from '../../cli/interrupt.ts'
import { asking } from '../../cli/run.ts'
import { DAY } from '../../jobs/kit.ts'
import { createArrivals } from '../../storage/arrivals.ts'
import { type BookedStore, openBooked } from './books-given.ts'

/** The command for the sales of a day, with these arguments. */
function againOf({ hub }: Pick<BookedStore, 'hub'>, day: string, ...given: string[]) {
  const of = ['files', 'again', '--destination', 'erp', '--from', day, '--to', day, '--flow', 'book-sale', ...given]
  return (...more: string[]) => asking(hub)(...of, ...more)
}

/** So many other events that a walk has several pages. */
async function takeOthers({ hub, clock }: BookedStore): Promise<void> {
  const { arrival } = createArrivals({ now: clock.now })
  await hub.hub.storage.accept(Array.from({ length: 1_000 }, () => arrival({ kind: 'BrandNewKind', deliveries: [] })))
}

test('When an ERP has lost the files of some days, then they are written once more, each record under its key', async () => {
  await using storage = await openBooked()
  storage.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 2 })
  storage.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  await storage.quiet()
  const before = await storage.booked<Bookings['bookSale'] & { key: string }>('sale')
  expect(before).toHaveLength(2)
  const day = before[0]?.day ?? ''
  const run = asking(storage.hub)
  const again = againOf(storage, day)

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
  expect(await storage.booked('sale')).toHaveLength(2)

  expect((await again('--reason', 'their disk was lost')).out).toMatch(/^2 records are written once more/)
  await storage.quiet()

  const after = await storage.booked<Bookings['bookSale'] & { key: string }>('sale')
  expect(after).toHaveLength(4)
  expect(new Set(after.map(({ key }) => key))).toEqual(new Set(before.map(({ key }) => key)))
  expect((await run('audit', 'list', '--action', 'files-again')).out).toMatch(/files-again +2 .*their disk was lost/)
})

test('When writing again is stopped by Ctrl-C, then the act goes on by its number, and no record is written twice by it', async () => {
  await using storage = await openBooked()
  const { platform } = storage
  const sell = () => platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  sell()
  sell()
  await storage.quiet()
  await takeOthers(storage)
  sell()
  await storage.quiet()
  const before = await storage.booked<Bookings['bookSale'] & { key: string }>('sale')
  const day = before[0]?.day ?? ''
  const again = againOf(storage, day, '--reason', 'their disk was lost')

  const stopped = await interrupted(() => again())
  const act = /\(audit entry (\d+)\)/.exec(stopped.out)?.[1] ?? ''

  expect(stopped).toMatchObject({ code: 130, out: expect.stringMatching(/^2 records are written once more/) })
  expect(stopped.err).toContain(`add --go-on ${act}`)
  expect(stopped.err).not.toContain('The same command does the rest')
  expect((await again('--go-on', act, '--dry-run')).out).toMatch(/^1 record would be written once more\./)
  const rest = await again('--go-on', act)
  expect(rest).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^1 record is written once more, .*\(audit entry /),
  })
  expect(rest.out).toContain(`Left out: 2 records that act ${act} has written once more before.`)
  expect((await again('--go-on', act)).out).toMatch(/^0 records are written once more/)
  await storage.quiet()
  expect(await storage.booked('sale')).toHaveLength(2 * before.length)

  // It has come to its end: whoever asks for the same wants all of it.
  expect((await again('--dry-run')).out).toMatch(/^3 records would be written once more\./)

  // An act is gone on with by whom it is of, as it was asked for.
  expect((await again('--go-on', act, '--to', '2099-01-01')).err).toContain(
    `goOn: act ${act} was of something else: {"destination":"erp"`,
  )
  expect((await again('--go-on', '999')).err).toContain('goOn: 999 is no "files-again" of ')
})

test('When the same is typed again after a stop, then it is refused with the act to go on with, and only --anew writes all once more', async () => {
  await using storage = await openBooked()
  const { platform } = storage
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  await storage.quiet()
  await takeOthers(storage)
  platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  await storage.quiet()
  const day = (await storage.booked<Bookings['bookSale']>('sale'))[0]?.day ?? ''
  const again = againOf(storage, day, '--reason', 'their disk was lost')
  const stopped = await interrupted(() => again())
  const act = /\(audit entry (\d+)\)/.exec(stopped.out)?.[1] ?? ''

  for (const more of [[], ['--dry-run']]) {
    const refused = await again(...more)
    expect(refused.code).not.toBe(0)
    expect(refused.err).toMatch(
      new RegExp(
        `Act ${act} of .* does not say that it has come to its end: it was stopped, or is still under way\\. --go-on ${act} does what is left`,
      ),
    )
  }
  await storage.quiet()
  expect(await storage.booked('sale')).toHaveLength(3)
  expect((await again('--go-on', act, '--anew')).err).toContain('anew: it is all of it once more')

  expect((await again('--anew')).out).toMatch(/^2 records are written once more/)
  // The last act of the same has come to its end.
  expect((await again('--dry-run')).out).toMatch(/^2 records would be written once more/)
})

test('When a POS sent a sale weeks after its day, then it is written once more, too; what cannot be written is counted and named', async () => {
  await using storage = await openBooked()
  const { hub, platform, clock } = storage
  for (const quantity of [1, 2, 3]) platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity })
  await storage.quiet()
  const day = (await storage.booked<Bookings['bookSale']>('sale'))[0]?.day ?? ''
  const sold = await hub.admin<{ events: { id: number }[] }>('events?kind=SaleCreated')
  const [third, second] = sold.body.events.map(({ id }) => id)
  const came = (event: number | undefined, days: number) =>
    changeStore(hub.file, 'update events set received_at = received_at + ? where id = ?', days * DAY, event)
  came(second, 20)
  came(third, 30)
  clock.advance(40 * DAY)
  const again = async (...more: string[]) => (await againOf(storage, day, '--dry-run')(...more)).out

  expect(await again()).toMatch(/^3 records would be written once more\. Nothing was changed\.\n\nstore's day /)

  expect(await hub.hub.storage.dropPayloads([third ?? 0])).toMatchObject({ dropped: 1 })
  expect(await again()).toMatch(
    /^2 records would be written .*\nLeft out: 1 record that came more than 14 days later, whose day is not known: their payload/,
  )
  const counts: BookedAgain = JSON.parse(await again('--json'))
  expect(counts).toMatchObject({ records: 2, left: 0, undated: 1, unplanned: 0 })
})

/** What weeks make of a store, in a moment. */
function changeStore(file: string, sql: string, ...values: unknown[]): void {
  const db = new Database(file)
  db.prepare(sql).run(...values)
  db.close()
}
