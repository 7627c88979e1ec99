import type { Looking } from '../admin/examine/look.ts'
import type { Config } from '../config/config.ts'
import type { HubAsideBook } from '../delivery/aside-book.ts'
import type { Worker } from '../delivery/worker.ts'
import type { Doubt } from '../domain/health/health.ts'
import type { Scheduler } from '../jobs/engine/scheduler.ts'
import { keptSilences } from '../jobs/silence/silence.ts'
import { acknowledgedKinds, schemaChanges } from '../jobs/subscriptions/schemas.ts'
import { keptSubscriptionFaults } from '../jobs/subscriptions/subscriptions.ts'
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

/** Everything that health is judged by, for those who ask, and for alarms. */
export function createLooking(
  { clocks }: Pick<Config, 'clocks'>,
  { store, flows, traffic, clockWatch, clock, logTrouble, eventLoop }: Base,
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
    eventLoop: eventLoop.delay,
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
    silences: () => keptSilences(store),
    alarms,
    flows,
    thresholds: clocks,
    clock,
  }
}
