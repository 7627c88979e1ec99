import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { IntakeSystem } from './system.ts'

/** Clocks differ, and the first question to a system goes back as far (milliseconds). */
const ALLOWANCE = 10 * 60_000

/** What the job `shop-orders` remembers of systems. */
const Remembered = z.object({ connected: z.record(z.string(), z.number()) }).catch(() => ({ connected: {} }))

/**
 * Tells what a system completed before it was connected: a refund, a corrected address or a plugin touches orders of years ago, and
 * the platform has, or never had, their sales by other ways.
 */
export function createConnected(store: Pick<Store, 'jobs'>, clock: Clock) {
  const known = new Map<string, number>()

  return {
    async wasBefore(
      system: Pick<IntakeSystem, 'name' | 'salesSince'>,
      completedAt: string | undefined,
    ): Promise<boolean> {
      if (completedAt === undefined) return false
      return Date.parse(completedAt) < (await sinceOf(system))
    },
  }

  async function sinceOf({ name, salesSince }: Pick<IntakeSystem, 'name' | 'salesSince'>): Promise<number> {
    if (salesSince !== undefined) return Date.parse(salesSince)
    const at = known.get(name) ?? (await remembered(name))
    if (at !== undefined) known.set(name, at)
    // The job has not run yet: this is the first that is heard of it.
    return (at ?? clock.now()) - ALLOWANCE
  }

  async function remembered(name: string): Promise<number | undefined> {
    const state = (await store.jobs()).find((job) => job.name === 'shop-orders')?.state
    return Remembered.parse(state ? JSON.parse(state) : null).connected[name]
  }
}
