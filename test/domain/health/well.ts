import type { HealthSnapshot } from '../../../src/domain/health/hub-health.ts'

/** All is well, and nothing has happened yet. */
export const NOTHING_YET: Omit<HealthSnapshot, 'disk'> = {
  store: { problem: null, since: null },
  clockAhead: 0,
  queues: [],
  events: { unrouted: 0, quarantined: 0, conflicts: 0, reusedKeys: { count: 0, last: null } },
  late: [],
  jobs: [],
  subscriptions: [],
  rejected: [],
  warnings: [],
  unsent: [],
  inactivities: [],
  schemas: [],
}
