import { type Looking, lookAround } from '../admin/examine/look.ts'
import { STORE_RULE } from '../domain/alarms/rules.ts'
import { metricsOf } from '../domain/metrics/hub-metrics.ts'
import type { Metric } from '../domain/metrics/metric.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type { Alarms } from './alarms.ts'

/** The numbers of a hub, by the same look that status and alarms are made of. */
export async function lookForMetrics(looking: Looking, alarms: Pick<Alarms, 'rules' | 'watch'>): Promise<Metric[]> {
  const [{ items, alarms: standing, untold, status }, jobs] = await Promise.all([
    lookAround(looking),
    looking.jobs.status(),
  ])
  const { connections, refused } = looking.requests()
  return metricsOf({
    version: OWN_VERSION,
    rules: alarms.rules,
    standing: standing?.map(({ rule }) => rule) ?? null,
    own: { rule: STORE_RULE.name, stands: alarms.watch.standing().length > 0 },
    untold,
    items,
    lanes: status?.destinations ?? null,
    events: status?.events ?? null,
    jobs,
    refused,
    connections,
    eventLoop: looking.eventLoop(),
  })
}
