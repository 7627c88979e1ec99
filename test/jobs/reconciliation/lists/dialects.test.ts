import { expect, test } from 'vitest'
import { watermarkOf } from '../../../../src/domain/completeness/watermark.ts'
import { type Given, keptIn } from '../../../hub.ts'
import { DAY, HOUR, MINUTE } from '../../kit.ts'
import { openPulled } from '../../pulls/pull-kit.ts'
import { KINDS, SALE_COLUMNS } from './lists-kit.ts'

const SALE = 'SaleCreated'
const MOVED = 'StockMovementCreated'
const SETTLED = 'POSSettlementCreated'

/** A hub on a platform that speaks so; what is sold and settled is lost, and then compared twice. */
async function lostIn(dialect: 'spec' | 'frontsystems-v2', pulls: NonNullable<Given['config']>['pulls']) {
  await using the = await openPulled('2026-11-20T09:00:00Z', pulls, {
    ...{ dialect, kinds: KINDS, jobs: { 'reconcile-log': '0 0 1 1 *' } },
  })
  const { clock, platform: sandbox, hub, quiet } = the
  const { storage } = hub.hub
  const run = async (name: string) =>
    (await hub.admin<{ note: string; problem: string | null }>(`jobs/${name}/run`, {})).body
  await run('reconcile-log')
  await run('reconcile-lists')
  clock.advance(MINUTE)
  sandbox.pos.sell({ store: '101', sku: 'TEE-BLK-M' })
  await quiet()
  clock.advance(MINUTE)
  sandbox.faults.set({ drop: 1 })
  sandbox.pos.sell({ store: '101', sku: 'COAT-NVY-M' })
  sandbox.closeDay('101')
  await quiet()
  sandbox.faults.set({})
  sandbox.forgetEvents(clock.now())
  const said: { note: string; problem: string | null }[] = []
  for (const pause of [HOUR, DAY]) {
    clock.advance(pause)
    await run('reconcile-log')
    said.push(await run('reconcile-lists'))
    await quiet()
  }
  const marks = await storage.watermarks()
  const { body: answered } = await hub.admin<{ cannotTell: Record<string, string> }>('completeness')
  return {
    said,
    cannotTell: answered.cannotTell,
    gaps: await storage.gaps({ source: 'lists' }, 0, 100),
    events: keptIn(hub).map(({ kind, problem }) => [kind, problem]),
    isProven: (kind: string) => (watermarkOf(marks, 'lists', kind, '42')?.until ?? 0) > clock.now() - HOUR,
  }
}

test('when the platform speaks as its public documentation does, then all three sources are there', async () => {
  const pulls = { saleColumns: SALE_COLUMNS, movementColumns: { id: 'STOCKMOVEMENTID', type: 'MoveType' } }
  const { said, gaps, events, isProven, cannotTell } = await lostIn('frontsystems-v2', pulls)
  expect(said).toMatchObject([{ problem: null }, { problem: null, note: expect.stringContaining('3 accepted') }])
  expect(cannotTell).toEqual({})
  expect(gaps.map(({ kind, state }) => [kind, state]).sort()).toEqual([
    [SETTLED, 'repaired'],
    [SALE, 'repaired'],
    [MOVED, 'repaired'],
  ])
  for (const kind of [SALE, MOVED, SETTLED]) {
    expect(events.filter(([one]) => one === kind)).toEqual(
      kind === SETTLED
        ? [[kind, null]]
        : [
            [kind, null],
            [kind, null],
          ],
    )
    expect(isProven(kind)).toBe(true)
  }
})

test('when the platform speaks as the specification does, then what cannot be told is said', async () => {
  const { said, gaps, events, isProven } = await lostIn('spec', { movementColumns: {} })
  expect(said[1]).toMatchObject({
    problem: null,
    note: expect.stringContaining('of StockMovementCreated they cannot tell: pulls.movementColumns.id is not given'),
  })
  expect(gaps.map(({ kind, cause, state }) => [kind, cause, state]).sort()).toEqual([[SETTLED, 'missing', 'repaired']])
  expect(events.filter(([kind]) => kind === SALE)).toHaveLength(1)
  expect([isProven(SALE), isProven(SETTLED), isProven(MOVED)]).toEqual([false, true, false])
})
