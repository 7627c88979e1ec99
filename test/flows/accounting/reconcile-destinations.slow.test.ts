import { describe, expect, test } from 'vitest'
import { type Corner, sqlServers } from '../../../packages/tillbridge-adapter-sql/test/servers.ts'
import type { DeliveryList } from '../../../src/admin/deliveries.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock, type TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { compare, thereOf } from '../days/compare-kit.ts'
import { LINGER, type OpenStore, openStorage } from '../days/open-store.ts'

describe.each(await sqlServers())('books in $name', (server) => {
  const when = test.skipIf(server.url === null)

  when(
    'When a row is deleted by hand, then it is a gap within one run, and closes once a person has it given again',
    async () => {
      await using corner = await server.corner()
      await using storage = await openBooks(corner)
      const { run: sql, rows, sales } = await sold(storage, corner, 3)
      const [row] = rows
      expect(await compare(storage)).toEqual([])
      const bi = await thereOf(storage, 'bi')
      expect(bi).toMatchObject({ verdict: 'proven', gaps: 0, days: [{ flow: 'book-sale', given: 3, there: 3 }] })
      expect(bi?.days[0]?.thereSum).toBe(bi?.days[0]?.givenSum)
      expect(Number(bi?.days[0]?.givenSum)).toBeGreaterThan(0)

      await sql(`delete from ${sales} where booking_key = '${row?.booking_key}'`)
      const [gap, ...others] = await compare(storage)
      expect(others).toEqual([])
      expect(gap).toMatchObject({
        ...{ cause: 'not-there', destination: 'bi', kind: 'SaleCreated', subject: row?.booking_key },
        evidence: { destination: { given: `${Number(row?.total).toFixed(2)} NOK`, there: 'nothing' } },
      })
      const [, delivery = ''] = /tillbridge deliveries resend (\d+)/.exec(gap?.remedy ?? '') ?? []
      const run = asking(storage.hub)
      expect((await run('complete', '--destination', 'bi')).out).toMatch(/book-sale +3 +2 /)
      expect((await run('deliveries', 'resend', delivery, '--reason', 'deleted by mistake')).out).toMatch(/goes to bi/)
      await storage.quiet()
      expect(await sql(`select booking_key, total from ${sales} order by booking_key`)).toEqual(rows)

      expect(await compare(storage)).toEqual([])
      expect((await run('gaps', 'show', String(gap?.id))).out).toMatch(/repaired .* by hub: the destination has it/)
      expect((await run('deliveries', 'resend', delivery, '--reason', 'again')).err).toMatch(/no open gap says/)
    },
  )

  when("When a row has another amount, then it is named; other columns are nobody's business", async () => {
    await using corner = await server.corner()
    await using storage = await openBooks(corner)
    const { run: sql, rows, sales } = await sold(storage, corner, 3)
    const [, second, third] = rows.map(({ booking_key }) => booking_key)
    await sql(`update ${sales} set sales_person = 'Kari' where booking_key = '${third}'`)
    await sql(`update ${sales} set total = total + 1 where booking_key = '${second}'`)
    const gaps = await compare(storage)
    expect(gaps.map(({ cause, subject }) => [cause, subject])).toEqual([['other-amount', second]])
    const amount = (more: number) => `${(Number(rows[1]?.total) + more).toFixed(2)} NOK`
    expect(gaps[0]?.evidence.destination).toMatchObject({ given: amount(0), there: amount(1) })
    expect(await thereOf(storage, 'bi')).toMatchObject({ name: 'bi', verdict: 'unknown', gaps: 1 })

    const delivery = String(gaps[0]?.evidence.destination?.delivery)
    expect((await asking(storage.hub)('deliveries', 'resend', delivery, '--reason', 'edited')).code).toBe(0)
    await storage.quiet()
    expect(await compare(storage)).toEqual([])
    expect(await sql(`select booking_key, total from ${sales} order by booking_key`)).toEqual(rows)
  })

  when(
    'When the table cannot be read, then nothing is a gap and nothing is covered; what a person explained stays so',
    async () => {
      await using corner = await server.corner()
      await using storage = await openBooks(corner)
      const { run: sql, sales } = await sold(storage, corner, 1)
      expect(await compare(storage)).toEqual([])
      const before = await thereOf(storage, 'bi')

      const name = sales.split('.').at(-1)
      await sql(`alter table ${sales} rename to ${name}_aside`)
      expect(await compare(storage)).toEqual([])
      expect(await thereOf(storage, 'bi')).toMatchObject({
        ...{ until: before?.until, askedAt: before?.askedAt },
        problem: expect.stringMatching(/^bi: .* has not what the adapter needs/),
      })
      await sql(`alter table ${sales}_aside rename to ${name}`)

      await sql(`delete from ${sales}`)
      const [gap] = await compare(storage)
      const run = asking(storage.hub)
      expect((await run('complete')).code).toBe(3)
      expect((await run('gaps', 'list', '--destination', 'bi')).out).toMatch(/not-there .* bi /)
      expect((await run('gaps', 'explain', String(gap?.id), '--reason', 'a test sale')).code).toBe(0)
      expect(await compare(storage)).toEqual([])
      expect(await thereOf(storage, 'bi')).toMatchObject({ verdict: 'proven', problem: null })
    },
  )

  when(
    'When all rows are gone, then that is one outage with the database and no gap for each; dead and skipped ones are none',
    async () => {
      await using corner = await server.corner()
      await using storage = await openBooks(corner)
      const { run: sql, sales } = await sold(storage, corner, 1)
      await sql(`alter table ${sales} add constraint one_a_store unique (store_no)`)
      storage.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M' })
      await eventually(async () => {
        storage.clock.advance(LINGER)
        const { body } = await storage.hub.admin<DeliveryList>('deliveries?destination=bi&state=dead')
        return body.deliveries.length === 1
      }, 5_000)
      await sql(`alter table ${sales} drop constraint one_a_store`)
      await sold(storage, corner, 24)
      expect(await compare(storage)).toEqual([])
      expect(await thereOf(storage, 'bi')).toMatchObject({ open: 1, days: [{ given: 25, there: 25 }] })
      const run = asking(storage.hub)
      const skip = ['deliveries', 'skip', '--destination', 'bi', '--state', 'dead', '--reason', 'booked by hand']
      expect((await run(...skip)).code).toBe(0)

      await sql(`delete from ${sales}`)
      expect(await compare(storage)).toEqual([])
      expect(await thereOf(storage, 'bi')).toMatchObject({
        problem: expect.stringMatching(/^it has nothing of 25 things that it was given: is it another database/),
      })
      expect((await run('jobs', 'history', 'reconcile-destinations')).out).toMatch(/bi: it has nothing of 25 things/)
    },
  )
})

interface Books extends OpenStore {
  clock: TestClock
}

/** A store whose sales are written into a table. */
async function openBooks(corner: Corner, more: object = {}): Promise<Books & AsyncDisposable> {
  const clock = createTestClock()
  const bi = { adapter: 'sql', ...corner.options, only: ['sales'], ...more }
  const storage = await openStorage({ clock, others: { bi } })
  await storage.hub.admin('jobs/stores/run', {})
  return { ...storage, clock }
}

/** Sells so often, and gives what stands in the table then. */
async function sold(storage: Books, corner: Corner, times: number) {
  for (let quantity = 1; quantity <= times; quantity++)
    storage.platform.actions.sell({ store: '101', sku: 'TEE-BLK-M', quantity })
  await storage.quiet()
  const sales = corner.table('sales')
  const rows = await corner.run(`select booking_key, total from ${sales} order by booking_key`)
  return { run: corner.run, rows, sales }
}
