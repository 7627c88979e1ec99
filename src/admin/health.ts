import type { Untold, Watched } from '../domain/alarms/notice.ts'
import type { AlarmRule } from '../domain/alarms/rules.ts'
import type { Doubt, HealthItem, RowsAside } from '../domain/health/health.ts'
import type { SubscriptionFault } from '../domain/health/hub-health.ts'
import { type ClockJump, health, type SeenLate, type SeenSchemaChange } from '../domain/health/hub-health.ts'
import type { JobStatus } from '../domain/health/job-status.ts'
import type { LogTrouble, SeenDisk, SeenStore } from '../domain/health/storage-health.ts'
import type { DestinationWork, Lane, Trouble } from '../domain/queue/lane.ts'
import { adviceOn, isDown } from '../domain/queue/outcome.ts'
import type { Silence } from '../domain/silence/silences.ts'
import { StoreUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Clock } from '../lib/clock.ts'
import type { EventLoopDelay } from '../lib/event-loop.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type { Pause } from '../store/rows.ts'
import type { DestinationStatus, StoreStatus } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { type Late, readLate, type Thresholds } from './late.ts'

interface Requests {
  connections: number
  inHand: number
  refused: Record<string, number>
  /** By reason and interface (`/admin`). */
  refusedAt: Record<string, Record<string, number>>
}

export interface ToldTrouble extends Trouble {
  means: string
  todo: string
  down: boolean
}

export interface Status {
  version: string
  destinations: (Omit<DestinationStatus, 'destination'> &
    Omit<DestinationWork, 'destination' | 'inFlight' | 'trouble'> & {
      name: string
      inFlight: number
      trouble: ToldTrouble | null
      paused: Pause | null
      /** False: deliveries are pending, but config has no such destination. */
      configured: boolean
    })[]
  events: StoreStatus['events']
  requests: Requests
  /** Unreadable rows of the platform's lists. */
  aside: RowsAside[]
}

export interface HealthSources {
  store: Store
  destinations: readonly string[]
  working(): DestinationWork[]
  requests(): Requests
  aside(): RowsAside[]
  /** Whether the store can write, by writing. */
  storeNow(): Promise<SeenStore>
  disk(): Promise<SeenDisk | null>
  clockJump(): ClockJump | null
  log(): LogTrouble | null
  eventLoop(): EventLoopDelay
  jobs: { status(): Promise<JobStatus[]> }
  subscriptions(): Promise<SubscriptionFault[]>
  doubts(): readonly Doubt[]
  schemaChanges(): Promise<SeenSchemaChange[]>
  silences(): Promise<Silence[]>
  alarms: { rules: readonly AlarmRule[]; kept(): Promise<{ standing: Watched[]; untold: Untold[] }> }
  flows: readonly Flow[]
  thresholds: Thresholds
  clock: Clock
}

type PausedLane = Pause & { lane: Lane }

export async function readStatus(sources: HealthSources): Promise<Status> {
  const [counted, paused] = await Promise.all([sources.store.status(), sources.store.paused()])
  return statusOf(counted, lanesOf(counted, paused, sources), sources)
}

function statusOf({ events }: StoreStatus, lanes: ReturnType<typeof lanesOf>, sources: HealthSources): Status {
  const { requests, aside, clock } = sources
  const destinations = lanes.map((lane) => ({ ...lane, trouble: lane.trouble && told(lane.trouble, clock.now()) }))
  return { version: OWN_VERSION, destinations, events, requests: requests(), aside: aside() }
}

/** Each queue with pending deliveries, and one of each other destination of config. */
function lanesOf(
  { destinations: counted }: StoreStatus,
  paused: readonly PausedLane[],
  { working, destinations: configured }: HealthSources,
) {
  const counts = { waiting: 0, retrying: 0, held: 0, dead: 0 }
  const nothing = { urgency: 'prompt' as const, ...counts, oldest: null, oldestWaiting: null, oldestHeld: null }
  const isIdle = (name: string) => counted.every(({ destination }) => destination !== name)
  const idle = configured.filter(isIdle).map((destination) => ({ ...nothing, destination }))
  const works = working()
  return [...counted, ...idle]
    .map(({ destination: name, urgency, ...counts }) => {
      const { inFlight, trouble, failing, tookAt, callsPerSecond }: Partial<DestinationWork> =
        works.find(({ destination }) => destination === name) ?? {}
      const pause = paused.find(({ lane }) => lane.destination === name && lane.urgency === urgency)
      return {
        ...{ name, urgency, ...counts, inFlight: inFlight?.[urgency] ?? 0, trouble: trouble ?? null },
        ...{ failing: failing ?? null, tookAt: tookAt ?? null, callsPerSecond: callsPerSecond ?? null },
        paused: pause ? { until: pause.until, why: pause.why } : null,
        configured: configured.includes(name),
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

function told(trouble: Trouble, now: Instant): ToldTrouble {
  const { means, todo } = adviceOn(trouble.code)
  return { ...trouble, means, todo, down: isDown(trouble, now) }
}

export type StandingAlarm = Pick<Watched, 'rule' | 'thing' | 'since' | 'raisedAt' | 'goneAt' | 'means' | 'todo'> &
  Pick<AlarmRule, 'severity' | 'says'>

/** Null: the storage cannot be read now. */
export interface Looked {
  items: HealthItem[]
  alarms: StandingAlarm[] | null
  untold: number | null
  status: Status | null
}

const DAY = 24 * 3_600_000

/** A storage that cannot be read is a health item, no rejection. */
export async function lookAround(sources: HealthSources): Promise<Looked> {
  const { store, flows, thresholds, clock, alarms } = sources
  const now = clock.now()
  const clockAhead = (clock.own?.() ?? now) - now
  const [storeNow, disk, jobs, counted, paused, late, faults, gaps, watermarks, kept, silences, schemas, newest] =
    await Promise.all([
      sources.storeNow(),
      sources.disk(),
      sources.jobs.status(),
      orNull(store.status()),
      orNull(store.paused()),
      orNull(readLate(store, flows, thresholds, now)),
      orNull(sources.subscriptions()),
      orNull(store.gapCounts(now - DAY)),
      orNull(store.watermarks()),
      orNull(alarms.kept()),
      orNull(sources.silences()),
      orNull(sources.schemaChanges()),
      orNull(store.events({ limit: 1 })),
    ])
  const lanes = counted && paused && lanesOf(counted, paused, sources)
  const items = health(
    {
      store: storeNow,
      disk,
      clockAhead,
      clockJump: sources.clockJump(),
      log: sources.log(),
      eventLoopMs: sources.eventLoop().maxMs,
      newest: newest?.[0]?.receivedAt ?? null,
      lanes,
      events: counted?.events ?? null,
      late: late && byClock(late),
      ledger: gaps && watermarks && { gaps, watermarks },
      jobs,
      subscriptions: faults,
      aside: sources.aside(),
      doubts: sources.doubts(),
      untold: kept?.untold ?? null,
      silences,
      schemas,
    },
    now,
  )
  return {
    items,
    alarms: kept && standingOf(kept.standing, alarms.rules),
    untold: kept?.untold.reduce((sum, { notices, dropped }) => sum + notices.length + dropped, 0) ?? null,
    status: counted && lanes && statusOf(counted, lanes, sources),
  }
}

export function standingOf(standing: readonly Watched[], rules: readonly AlarmRule[]): StandingAlarm[] {
  return standing.flatMap(({ rule, thing, since, raisedAt, goneAt, means, todo }) => {
    const { severity, says } = rules.find(({ name }) => name === rule) ?? {}
    return severity && says ? [{ rule, severity, thing, says, since, raisedAt, goneAt, means, todo }] : []
  })
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StoreUnavailableError) return null
    throw error
  }
}

function byClock(late: readonly Late[]): SeenLate[] {
  return [...Map.groupBy(late, ({ clock }) => clock)].map(([clock, all]) => ({
    clock,
    count: all.length,
    since: Math.min(...all.map(({ since }) => since)),
  }))
}
