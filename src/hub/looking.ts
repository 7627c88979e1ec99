import type { Looking } from '../admin/examine/look.ts'
import type { Config } from '../config/config.ts'
import type { HubAsideBook } from '../delivery/aside-book.ts'
import type { Worker } from '../delivery/worker.ts'
import type { Doubt } from '../domain/health/doubt.ts'
import { formatInstant } from '../domain/values/instant.ts'
import { acknowledgedKinds, keptDrifts } from '../jobs/drift/kept-drifts.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { keptSilences } from '../jobs/silence/silence.ts'
import { schemaChanges } from '../jobs/subscriptions/schemas.ts'
import { keptSubscriptionFaults } from '../jobs/subscriptions/subscription-faults.ts'
import type { Alarms } from './alarms.ts'
import type { Base } from './base.ts'
import type { Outage } from './guards/outage.ts'

interface Parts {
  /** Names of the destinations, those of the hub itself too. */
  names: readonly string[]
  asides: HubAsideBook
  worker: Worker
  outage: Outage
  alarms: Alarms
  scheduler: Scheduler
  doubts: () => readonly Doubt[]
}

/** Health tells of drifts of a week: of no day before these (milliseconds). */
const TOLD_AT_MOST = 8 * 24 * 3_600_000

/** Everything that health is judged by, for those who ask, and for alarms. */
export function createLooking(
  { clocks, platform }: Pick<Config, 'clocks' | 'platform'>,
  { store, flows, traffic, clockWatch, clock, logTrouble }: Base,
  { names, asides, worker, outage, alarms, scheduler, doubts }: Parts,
): Looking {
  const { budgets, refusals } = traffic
  return {
    store,
    destinations: names,
    working: worker.status,
    storeNow: outage.look,
    disk: outage.disk,
    clockJump: clockWatch.jump,
    log: logTrouble,
    jobs: scheduler,
    subscriptions: () => keptSubscriptionFaults(store),
    aside: asides.all,
    requests: () => ({
      connections: traffic.connections(),
      inHand: budgets.known.inHand() + budgets.unverified.inHand(),
      refused: refusals.counts(),
      refusedAt: refusals.places(),
    }),
    doubts,
    schemaChanges: async () => {
      const known = await acknowledgedKinds(store)
      return (await schemaChanges(store, flows)).filter(({ kind, at }) => at > (known.get(kind)?.at ?? 0))
    },
    drifts: async () => {
      const known = await acknowledgedKinds(store)
      const from = formatInstant(clock.now() - TOLD_AT_MOST).slice(0, 10)
      const drifts = await keptDrifts(store, { flows, mappings: platform.payloads }, { from })
      return drifts.filter(({ kind, foundAt }) => foundAt > (known.get(kind)?.at ?? 0))
    },
    silences: () => keptSilences(store),
    alarms,
    flows,
    thresholds: clocks,
    clock,
  }
}
