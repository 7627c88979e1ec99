import { describe, expect, test } from 'vitest'
import type { ToldGap } from '../../../src/admin/gaps.ts'
import type { There } from '../../../src/store/read-completeness.ts'
import { sqlServers } from '../../adapters/sql/servers.ts'
import { asking } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { HOUR } from '../../jobs/kit.ts'
import { type OpenStore, openStore } from '../days/open-store.ts'

const TEE = 'TEE-BLK-M'

/** Asks all destinations what they have, and gives the gaps that are open then. */
async function compare({ hub, clock }: Pick<OpenStore, 'hub'> & { clock: ReturnType<typeof createTestClock> }) {
  clock.advance(2 * HOUR)
  await hub.admin('jobs/compare-destinations/run', {})
  const { body } = await hub.admin<{ gaps: ToldGap[] }>('gaps?state=open&road=destination')
  return body.gaps
}

async function there({ hub }: Pick<OpenStore, 'hub'>) {
  return (await hub.admin<There>('completeness')).body.destinations
}

describe.each(await sqlServers())('books in $name', (server) => {
  const when = test.skipIf(server.url === null)

  when(
    'When a row is deleted by hand, then it is a gap within one run, and closes once a person has it given again',
    async () => {
      await using corner = await server.corner()
      const clock = createTestClock()
      await using store = await openStore({
        clock,
        others: { bi: { adapter: 'sql', ...corner.options, only: ['sales'] } },
      })
      await store.hub.admin('jobs/stores/run', {})
      for (const quantity of [1, 2, 3]) store.platform.actions.sell({ store: '101', sku: TEE, quantity })
      await store.quiet()
      expect(await compare({ ...store, clock })).toEqual([])
      const [bi] = await there(store)
      expect(bi).toMatchObject({
        name: 'bi',
        verdict: 'proven',
        gaps: 0,
        days: [{ flow: 'book-sale', given: 3, there: 3 }],
      })
      expect(bi?.days[0]?.thereSum).toBe(bi?.days[0]?.givenSum)
      expect(Number(bi?.days[0]?.givenSum)).toBeGreaterThan(0)

      const sales = corner.table('sales')
      const [row] = await corner.run(`select booking_key, total from ${sales} order by booking_key limit 1`)
      await corner.run(`delete from ${sales} where booking_key = '${row?.booking_key}'`)
      const [gap, ...others] = await compare({ ...store, clock })
      expect(others).toEqual([])
      expect(gap).toMatchObject({
        ...{ cause: 'not-there', destination: 'bi', kind: 'SaleCreated', subject: row?.booking_key },
        evidence: { destination: { given: `${Number(row?.total).toFixed(2)} NOK`, there: 'nothing' } },
      })
      const [, delivery] = /tillbridge deliveries resend (\d+)/.exec(gap?.mends ?? '') ?? []
      const run = asking(store.hub)
      expect((await run('complete', '--destination', 'bi')).out).toMatch(/book-sale +3 +2 /)
      expect((await run('deliveries', 'resend', delivery ?? '', '--reason', 'deleted by mistake')).out).toMatch(
        /goes to bi/,
      )
      await store.quiet()
      expect(await corner.run(`select total from ${sales} where booking_key = '${row?.booking_key}'`)).toEqual([
        { total: row?.total },
      ])
      expect(await compare({ ...store, clock })).toEqual([])
      expect((await run('gaps', 'show', String(gap?.id))).out).toMatch(/mended .* by hub: the destination has it/)
      expect((await run('deliveries', 'resend', delivery ?? '', '--reason', 'again')).err).toMatch(/no open gap says/)
    },
  )
})
