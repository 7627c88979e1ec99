import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Platform } from '../../../src/platform/platform.ts'
import { DAY } from '../kit.ts'
import { openPulled, type Pulled, said } from './pull-kit.ts'

const KIND = 'StockMovementCreated'

// Clocks go back in the night to the 25th.
let the: Pulled
beforeAll(async () => {
  the = await openPulled('2026-10-23T10:00:00Z', { days: 2 })
})
afterAll(() => the[Symbol.asyncDispose]())

test('when webhooks are lost around the hour that comes twice, then what moved is taken once, as if it had been pushed', async () => {
  const { platform, clock, hub } = the
  platform.pos.moveStock({ store: '101', sku: 'TEE-BLK-M' })
  await the.quiet()
  the.lose(true)
  // 02:30, and 02:30 again.
  for (const at of ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']) {
    clock.advance(Date.parse(at) - clock.now())
    platform.pos.moveStock({ store: '101', sku: 'COAT-NVY-M' })
  }
  await the.quiet()
  the.lose(false)
  clock.advance(8 * 3_600_000)

  expect(await the.run('stock-movements')).toBe('3 days: 3 movements, 2 new')
  await the.quiet()
  expect(await the.run('stock-movements')).toBe('2 days: 2 movements, 0 new')

  const events = the.events(KIND)
  expect(events).toHaveLength(3)
  expect(events.map(said).map(({ type, stockId }) => ({ type, stockId }))).toEqual(
    // The row tells a code, which the specification does not name: it stays a code.
    ['Manual', '2', '2'].map((type) => ({ type, stockId: 12 })),
  )
  expect(events.slice(1).map((event) => String(said(event).createdDateTime).slice(0, 16))).toEqual([
    '2026-10-25T02:30',
    '2026-10-25T02:30',
  ])
  expect(await the.mirror('movements')).toHaveLength(3)

  // They are sent again: the hub has them.
  await hub.admin('jobs/resend-failed/run', {})
  await the.quiet()
  expect(the.events(KIND)).toHaveLength(3)
  expect(the.events(KIND).filter(({ problem }) => problem !== null)).toEqual([])
})

test('when a day has no rows although movements of it were pushed, then that is said, and it is asked for again', async () => {
  the.clock.advance(5 * DAY)
  const asked: string[] = []
  const list: Platform['stockMovements']['list'] = async function* ({ from, to }) {
    asked.push(from)
    yield { from, to, rows: [], rejected: [], suspect: true, daysWithoutRows: [from] }
  }
  const job = the.beside('stock-movements', () => ({ stockMovements: { list } }))
  job.state = { begin: '2026-10-23', day: '2026-10-30', again: { '2026-10-26': 'empty' } }

  expect(await job.run()).toBe('3 days: 0 movements, 0 new')

  expect(asked).toEqual(['2026-10-29', '2026-10-30', '2026-10-26'])
  expect(job.state).toMatchObject({ again: { '2026-10-26': 'empty', '2026-10-29': 'empty', '2026-10-30': 'empty' } })
})
