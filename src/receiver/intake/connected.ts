import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import type { IntakeItem } from '../../ports/intake.ts'
import type { Store } from '../../store/store.ts'
import type { IntakeSystem } from './system.ts'

/** Clocks differ, some by the hours of a zone: a sale too many can be put right by a person, one that was dropped nobody misses (milliseconds). */
const ALLOWANCE = 24 * 60 * 60_000

/** An order that was changed no later than this after its completion is told of because of it (milliseconds). */
const AT_ONCE = 10 * 60_000

/** What the job `shop-orders` remembers of systems. */
const Remembered = z.object({ connected: z.record(z.string(), z.number()) }).catch(() => ({ connected: {} }))

type System = Pick<IntakeSystem, 'name' | 'salesSince'>

/**
 * Tells what a system completed before it was connected, and merely touches now: a refund, a corrected address or a plugin brings
 * orders of years ago, whose sales the platform has, or never had, by other ways. Where it is not known since when a system is
 * connected, nothing is too old.
 */
export function createConnected(store: Pick<Store, 'jobs'>, clock: Pick<Clock, 'now'>) {
  return {
    async wasBefore(
      { name, salesSince }: System,
      item: Pick<IntakeItem, 'completedAt' | 'changedAt'>,
    ): Promise<boolean> {
      if (item.completedAt === undefined) return false
      const completed = Date.parse(item.completedAt)
      if (salesSince !== undefined) return completed < Date.parse(salesSince)
      if (item.changedAt !== undefined && Date.parse(item.changedAt) <= completed + AT_ONCE) return false
      const since = await remembered(name)
      // Read each time: another hub may have put right what one with a wrong clock remembered.
      return since !== undefined && since <= clock.now() && completed < since - ALLOWANCE
    },
  }

  async function remembered(name: string): Promise<number | undefined> {
    const state = (await store.jobs()).find((job) => job.name === 'shop-orders')?.state
    return Remembered.parse(state ? JSON.parse(state) : null).connected[name]
  }
}
