import { ALARM_ACTIVE, type AlarmRule, JOB_SUCCEEDED } from '../alarms/rules.ts'
import type { Instant } from '../values/instant.ts'
import type { HealthItem, JobStatus } from './health.ts'

export interface Metric {
  name: string
  help: string
  type: 'gauge' | 'counter'
  samples: readonly MetricSample[]
}

interface MetricSample {
  labels: Readonly<Record<string, string>>
  value: number
}

export interface Measured {
  version: string
  rules: readonly AlarmRule[]
  active: readonly string[] | null
  own: { rule: string; stands: boolean }
  unsent: number | null
  items: readonly HealthItem[]
  queues: readonly MeasuredQueue[] | null
  events: { unrouted: number; quarantined: number; conflicts: number } | null
  jobs: readonly Pick<JobStatus, 'name' | 'lastSucceededAt' | 'failures'>[]
  refused: Readonly<Record<string, number>>
  connections: number
  eventLoop: { p50Ms: number; p99Ms: number; maxMs: number }
}

interface MeasuredQueue extends Record<'waiting' | 'held' | 'dead', number> {
  name: string
  urgency: string
  oldest: Instant | null
}

const OUT_OF_PLACE = ['unrouted', 'quarantined', 'conflicts'] as const

export function metricsOf(measured: Measured): Metric[] {
  const { version, unsent, items, queues, events, jobs, refused, connections, eventLoop } = measured
  const lag = (name: string, help: string, ms: number) =>
    gauge(`nodejs_eventloop_lag_${name}_seconds`, help, [one({}, ms / 1_000)])
  return [
    gauge('tillbridge_build_info', 'The version of this hub.', [one({ version }, 1)]),
    gauge(ALARM_ACTIVE, 'Whether an alarm of the rule stands (1) or not (0).', alarmSamples(measured)),
    gauge(
      'tillbridge_alarms_unsent',
      'Notices of alarms that somebody has not got yet.',
      unsent === null ? [] : [one({}, unsent)],
    ),
    gauge('tillbridge_findings', 'Findings of health, by area and state.', countsOf(items)),
    gauge(
      'tillbridge_deliveries',
      'Deliveries that are not done, by destination, urgency and state.',
      (queues ?? []).flatMap(({ name: destination, urgency, ...counts }) =>
        (['waiting', 'held', 'dead'] as const).map((state) => one({ destination, urgency, state }, counts[state])),
      ),
    ),
    gauge(
      'tillbridge_oldest_delivery_timestamp_seconds',
      'When the event of the oldest delivery that waits or is held came.',
      (queues ?? []).flatMap(({ name: destination, urgency, oldest }) =>
        oldest === null ? [] : [one({ destination, urgency }, oldest / 1_000)],
      ),
    ),
    gauge(
      'tillbridge_events_out_of_place',
      'Events that wait for a look, by what is wrong with them.',
      events === null ? [] : OUT_OF_PLACE.map((why) => one({ why }, events[why])),
    ),
    gauge(
      JOB_SUCCEEDED,
      'When the job last succeeded, on any hub of the store.',
      jobs.flatMap(({ name, lastSucceededAt }) =>
        lastSucceededAt === null ? [] : [one({ name }, lastSucceededAt / 1_000)],
      ),
    ),
    gauge(
      'tillbridge_job_failures',
      'How many runs of the job have failed since one succeeded.',
      jobs.map(({ name, failures }) => one({ name }, failures)),
    ),
    lag('p50', 'How late turns of the event loop came within the last minute: the 50th percentile.', eventLoop.p50Ms),
    lag('p99', 'The 99th percentile of the same.', eventLoop.p99Ms),
    lag('max', 'The longest of the same.', eventLoop.maxMs),
    gauge('tillbridge_connections', 'Connections that are open to this hub.', [one({}, connections)]),
    {
      name: 'tillbridge_requests_refused_total',
      help: 'Requests that this hub has refused since it started, by the reason.',
      type: 'counter',
      samples: Object.entries(refused).map(([reason, count]) => one({ reason }, count)),
    },
  ]
}

function alarmSamples({ rules, active, own }: Measured): MetricSample[] {
  return rules.flatMap(({ name: rule, severity }) => {
    if (rule === own.rule) return [one({ rule, severity }, own.stands ? 1 : 0)]
    return active === null ? [] : [one({ rule, severity }, active.includes(rule) ? 1 : 0)]
  })
}

function countsOf(items: readonly HealthItem[]): MetricSample[] {
  const byBoth = Map.groupBy(items, ({ area, state }) => `${area}\n${state}`)
  return [...byBoth].map(([both, { length }]) => {
    const [area = '', state = ''] = both.split('\n')
    return one({ area, state }, length)
  })
}

function gauge(name: string, help: string, samples: readonly MetricSample[]): Metric {
  return { name, help, type: 'gauge', samples }
}

function one(labels: MetricSample['labels'], value: number): MetricSample {
  return { labels, value }
}
