import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import type { CompletenessResult } from '../../../../src/storage/read-completeness.ts'
import { asking } from '../../../cli/run.ts'
import { HOUR } from '../../kit.ts'
import { countAll } from './count.ts'
import { explainExpired, gapsIn, releaseOrders, sentAgain } from './person.ts'
import { comeToRest, type Plan, play } from './play.ts'
import { OPEN_STORES } from './trade.ts'
import { startWorldAtSpeed, UNLISTED, type WorldAtSpeed } from './world-at-speed.ts'

const MONDAY = '2026-11-16T08:00:00Z'

/** How far behind now the last proof may be: as late as events were, and a scan (milliseconds). */
const BEHIND = 3 * HOUR

/**
 * Plays days on a bad source, kills the hub, has it off for a day of which the log expires two hours; and proves at the end that all is
 * here, once, by the sandbox's own books. `TILLBRIDGE_SEED` repeats a run.
 */
export async function playAndProve(dialect: DialectName, plan: Omit<Plan, 'seed'>): Promise<void> {
  const seed = Number(process.env.TILLBRIDGE_SEED ?? Date.now() % 1_000_000)
  // A run that is cut off is to be repeated, too.
  process.stdout.write(`${dialect}: TILLBRIDGE_SEED=${seed}\n`)
  await using world = await startWorldAtSpeed(dialect, MONDAY, seed)
  const played = await play(world, { ...plan, seed })
  await comeToRest(world)
  expect(played.falsely, `seed ${seed}`).toEqual([])

  await sentAgain(world, played)
  await comeToRest(world)
  const left = await gapsIn(world, 'open')
  const forAPerson = plan.offFrom === null ? [] : UNLISTED.map((kind) => `not-looked-at ${kind}`)
  expect(left.map(({ cause, kind }) => `${cause} ${kind}`).sort(), `seed ${seed}`).toEqual(forAPerson.sort())
  const explained = await explainExpired(world)
  const released = await releaseOrders(world)
  await comeToRest(world)

  await allIsProven(world, played.closedAt, seed)
  const { rows, wrong, held } = await countAll(world, played)
  const reported = { dialect, seed, kills: played.kills, explained, released, held: held.length }
  process.stdout.write(
    `${JSON.stringify({ ...reported, rows: rows.map(({ name, counted, copies }) => [name, counted, copies]) })}\n`,
  )
  expect(wrong, `seed ${seed}`).toEqual([])
  const { destinations } = await world.hub.admin<{ destinations: { name: string; dead: number; held: number }[] }>(
    'status',
  )
  expect(destinations.filter(({ name, dead, held: waits }) => dead > 0 || (waits > 0 && name !== 'erp'))).toEqual([])
  expect(readFileSync(world.hub.log, 'utf8')).not.toContain('watermark.went-back')
}

/** No gap is open, `complete` says so, and every watermark is at now; those of POS behind their last close. */
async function allIsProven(world: WorldAtSpeed, closedAt: number, seed: number): Promise<void> {
  const { code, out } = await asking(world.hub)('complete', '--json')
  const { verdict, watermarks } = JSON.parse(out) as CompletenessResult
  expect({ open: await gapsIn(world, 'open'), code, verdict }, `seed ${seed}: ${out}`).toEqual({
    ...{ open: [], code: 0, verdict: 'proven' },
  })
  const behind = watermarks.filter(({ level, until }) =>
    level === 'pos' ? until < Math.floor(closedAt / 1_000) * 1_000 : until < world.clock.now() - BEHIND,
  )
  expect(behind, `seed ${seed}`).toEqual([])
  const posList = watermarks.filter(({ level }) => level === 'pos')
  expect(posList).toHaveLength(OPEN_STORES.length)
}
