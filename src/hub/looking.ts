import type { Looking } from '../admin/examine/look.ts'
import type { Config } from '../config/config.ts'
import type { HubAsideBook } from '../delivery/aside-book.ts'
import type { Worker } from '../delivery/worker.ts'
import type { Doubt } from '../domain/health/doubt.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { keptSilences } from '../jobs/silence/silence.ts'
import { schemaChanges } from '../jobs/subscriptions/schemas.ts'
import { keptSubscriptionFaults } from '../jobs/subscriptions/subscription-faults.ts'
import type { Alarms } from './alarms.ts'
import type { Base } from './base.ts'
import type { Outage } from './outage.ts'

interface Parts {
  /** Names of the destinations, those of the hub itself too. */
  names: readonly string[]
  asides: HubAsideBook
  worker: Worker
  outage: Outage
  alarms: Alarms
  /** Null: it is not made yet. */
  scheduler(): Scheduler | null
  doubts: () => readonly Doubt[]
}

/** Everything that health is judged by, for those who ask, and for alarms. */
export function createLooking(
  { clocks }: Pick<Config, 'clocks'>,
  { store, flows, traffic, clock }: Base,
  { names, asides, worker, outage, alarms, scheduler, doubts }: Parts,
): Looking {
  const { budgets, refusals } = traffic
  return {
    store,
    destinations: names,
    working: worker.status,
    storeNow: outage.look,
    disk: outage.disk,
    jobs: { status: async () => (await scheduler()?.status()) ?? [] },
    subscriptions: () => keptSubscriptionFaults(store),
    aside: asides.all,
    requests: () => ({
      connections: traffic.connections(),
      inHand: budgets.known.inHand() + budgets.unverified.inHand(),
      refused: refusals.counts(),
    }),
    doubts,
    schemaChanges: () => schemaChanges(store, flows),
    silences: () => keptSilences(store),
    alarms,
    flows,
    thresholds: clocks,
    clock,
  }
}
