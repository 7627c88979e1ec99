import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { claim, DELIVERED, settlement } from '../acting.ts'
import { pending } from '../arrivals.ts'
import { openHubs } from './open-hubs.ts'
import { NO_SERVER, SERVER } from './schema.ts'

const ROOM = { events: 100, bytes: 1_000_000 }

describe
  .skipIf(SERVER === undefined)
  .concurrent(`others beside the hubs (${SERVER ? 'PostgreSQL' : NO_SERVER})`, () => {
    test('When somebody reads for hours beside the hubs, then what comes meanwhile is indexed', async () => {
      await using hubs = await openHubs(1)
      await hubs.sql('begin isolation level repeatable read')
      await hubs.sql('select count(*) from events')
      await hubs.sql('select last_value from event_ids')
      const [verdict] = await hubs.first.accept([hubs.arrival()])

      const fresh = await eventually(async () => {
        const some = await hubs.first.unindexed(ROOM)
        expect(some).toHaveLength(1)
        return some
      })
      expect(fresh[0]?.id).toBe(verdict?.id)
    })

    test('When a hub has drawn an id and not committed its event, then none behind it is indexed until it has', async () => {
      await using hubs = await openHubs(1)
      const [first] = await hubs.first.accept([hubs.arrival()])
      await eventually(async () => expect(await hubs.first.unindexed(ROOM)).toHaveLength(1))
      await hubs.first.indexKeys(first?.id ?? 0, [])
      await hubs.sql('begin')
      await hubs.sql(`select nextval('event_ids')`)
      await hubs.first.accept([hubs.arrival()])

      for (let n = 0; n < 5; n += 1) expect(await hubs.first.unindexed(ROOM)).toEqual([])
      await hubs.sql('rollback')
      await eventually(async () => expect(await hubs.first.unindexed(ROOM)).toHaveLength(1))
    })

    test('When an event proves a fact that another comes back uncertain about, then it waits with no delivery in its hands', async () => {
      await using hubs = await openHubs(1)
      const steps = [pending({ entity: 'order:A1' })]
      await hubs.first.accept([hubs.arrival({ deliveries: steps })])
      await hubs.sql('begin')
      await hubs.sql(`select pg_advisory_xact_lock(hashtextextended('order/A1/placed', 0))`)
      const accepting = hubs.first.accept([hubs.arrival({ deliveries: steps, proves: ['order/A1/placed'] })])
      const waits = `select 1 from pg_locks w join pg_locks h using (locktype, database, classid, objid, objsubid)
      where w.locktype = 'advisory' and not w.granted and h.granted and h.pid = pg_backend_pid()`
      await eventually(async () => expect(await hubs.sql(waits)).toHaveLength(1))

      expect(await hubs.sql('select id from deliveries for update nowait')).toHaveLength(1)
      await hubs.sql('commit')
      expect(await accepting).toMatchObject([{ status: 'accepted' }])
    })

    test('When two hubs take prices of one product at once, then each that is made is of a later event than the one before', async () => {
      await using hubs = await openHubs(3)
      const made: number[] = []
      let last = 0
      async function makeAll() {
        for (const one of await claim(hubs.all[2] ?? hubs.first)) {
          if (!one.stale) made.push(one.event.id)
          const outcome = one.stale ? ({ type: 'superseded', code: 'stale', why: 'older' } as const) : DELIVERED
          await hubs.all[2]?.settle([settlement(one, outcome, hubs.first.now())])
        }
      }
      for (let n = 0; n < 40; n += 1) {
        const price = () => hubs.about('price:1', { latestWins: true })
        const taken = await Promise.all([
          ...[hubs.first, hubs.second].map((storage) => storage.accept([price()])),
          makeAll().then(() => []),
        ])
        last = Math.max(last, ...taken.flat().map(({ id }) => id))
      }
      await eventually(async () => {
        await makeAll()
        expect(made.at(-1)).toBe(last)
      })
      expect(made).toEqual([...made].sort((a, b) => a - b))
    })
  })
