import { ALARM_ACTIVE, type AlarmRule, JOB_SUCCEEDED } from '../alarms/rules.ts'
import type { Instant } from '../values/instant.ts'
import type { HealthItem, JobStatus } from './health.ts'
import type { HistogramValues, Timings } from './timings.ts'

export interface Metric {
  name: string
  help: string
  type: 'gauge' | 'counter' | 'histogram'
  samples: readonly MetricSample[]
}

interface MetricSample {
  /** Of the sample's name, where it has another than its metric. */
  suffix?: '_bucket' | '_sum' | '_count'
  labels: Readonly<Record<string, string>>
  value: number
}

export interface Measured {
  version: string
  /** When the storage was asked: all but refusals, connections, the event loop and timings. */
  readAt: Instant
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
  timings: ReturnType<Timings['read']>
}

interface MeasuredQueue extends Record<'waiting' | 'held' | 'dead', number> {
  name: string
  urgency: string
  oldest: Instant | null
}

const OUT_OF_PLACE = ['unrouted', 'quarantined', 'conflicts'] as const

export function metricsOf(measured: Measured): Metric[] {
  const { version, unsent, items, queues, events, jobs, refused, connections, eventLoop, timings } = measured
  const lag = (name: string, help: string, ms: number) =>
    gauge(`nodejs_eventloop_lag_${name}_seconds`, help, [one({}, ms / 1_000)])
  return [
    gauge('tillbridge_build_info', 'The version of this hub.', [one({ version }, 1)]),
    gauge(
      'tillbridge_health_timestamp_seconds',
      'When the storage was asked for alarms, findings, deliveries, events and jobs.',
      [one({}, measured.readAt / 1_000)],
    ),
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
    counter(
      'tillbridge_requests_refused_total',
      'Requests that this hub has refused since it started, by the reason.',
      Object.entries(refused).map(([reason, count]) => one({ reason }, count)),
    ),
    histogram(
      'tillbridge_accept_duration_seconds',
      'From the headers of a webhook to its 2xx, since this hub started.',
      distributed({}, timings.accept),
    ),
    histogram(
      'tillbridge_delivery_duration_seconds',
      'From the receipt of an event to the end of a delivery of it, by destination, since this hub started.',
      timings.destinations.flatMap(({ destination, deliveries }) => distributed({ destination }, deliveries)),
    ),
    histogram(
      'tillbridge_attempt_duration_seconds',
      'How long attempts took, by destination, since this hub started.',
      timings.destinations.flatMap(({ destination, attempts }) => distributed({ destination }, attempts)),
    ),
    counter(
      'tillbridge_attempts_total',
      'Attempts since this hub started, by destination and outcome.',
      timings.destinations.flatMap(({ destination, outcomes }) =>
        Object.entries(outcomes).map(([outcome, count]) => one({ destination, outcome }, count)),
      ),
    ),
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

/** Cumulative buckets, as Prometheus has them. */
function distributed(labels: MetricSample['labels'], { bounds, counts, sum }: HistogramValues): MetricSample[] {
  let below = 0
  const buckets = counts.map((count, at): MetricSample => {
    below += count
    const bound = bounds[at]
    const le = bound === undefined ? '+Inf' : Number.isInteger(bound) ? `${bound}.0` : String(bound)
    return { suffix: '_bucket', labels: { ...labels, le }, value: below }
  })
  return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: below }]
}

const ofType =
  (type: Metric['type']) =>
  (name: string, help: string, samples: readonly MetricSample[]): Metric => ({ name, help, type, samples })

const gauge = ofType('gauge')
const counter = ofType('counter')
const histogram = ofType('histogram')

function one(labels: MetricSample['labels'], value: number): MetricSample {
  return { labels, value }
}
