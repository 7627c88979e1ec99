import type { Untold, Watched } from '../../domain/alarms/notice.ts'
import type { AlarmRule, Severity } from '../../domain/alarms/rules.ts'
import type { Doubt, HealthItem } from '../../domain/health/health.ts'
import {
  type ClockJump,
  health,
  type Seen,
  type SeenLate,
  type SeenSchemaChange,
} from '../../domain/health/hub-health.ts'
import type { JobStatus } from '../../domain/health/job-status.ts'
import type { LogTrouble, SeenDisk, SeenStore } from '../../domain/health/storage-health.ts'
import type { SubscriptionFault } from '../../domain/health/subscription-plan.ts'
import type { Silence } from '../../domain/silence/silences.ts'
import { StoreUnavailableError } from '../../domain/values/errors.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventLoopDelay } from '../../lib/event-loop.ts'
import type { Store } from '../../store/store.ts'
import { type Late, readLate, type Thresholds } from '../find/late.ts'
import { lanesOf, type Status, statusOf, type Working } from './status.ts'

export interface Looking extends Working {
  store: Store
  /** Whether the store can write, by writing. */
  storeNow: () => Promise<SeenStore>
  disk: () => Promise<SeenDisk | null>
  /** The last time that this machine's clock was set. */
  clockJump: () => ClockJump | null
  /** Why lines of the log do not get where they go; null: they do. */
  log: () => LogTrouble | null
  /** How late the turns of this hub's event loop come. */
  eventLoop: () => EventLoopDelay
  jobs: { status(): Promise<JobStatus[]> }
  /** The faults of subscriptions that their job found last. */
  subscriptions: () => Promise<SubscriptionFault[]>
  /** Values that are most likely wrong in the config that counts. */
  doubts: () => readonly Doubt[]
  /** Changes of the platform's schemas, with the flows that they touch. */
  schemaChanges: () => Promise<SeenSchemaChange[]>
  /** Stores and kinds that are unusually quiet, as their job found them last. */
  silences: () => Promise<Silence[]>
  /** The rules of alarms as config has them, those that stand, and those that somebody was not told of yet. */
  alarms: { rules: readonly AlarmRule[]; kept(): Promise<{ standing: Watched[]; untold: Untold[] }> }
  flows: readonly Flow[]
  /** How long each thing may take before it is late. */
  thresholds: Thresholds
  clock: Clock
}

const DAY = 24 * 3_600_000

/** An alarm that stands, in the words in which it was told. */
export interface StandingAlarm
  extends Pick<Watched, 'rule' | 'thing' | 'since' | 'raisedAt' | 'goneAt' | 'means' | 'todo'> {
  severity: Severity
  says: string
}

/** How the hub is, and the counts by which that was judged. */
export interface Looked {
  items: HealthItem[]
  /** Null: the store cannot be read now. */
  alarms: StandingAlarm[] | null
  /** How many notices of alarms somebody has not got yet. Null: the store cannot be read now. */
  untold: number | null
  /** Null: the store cannot be read now. */
  status: Status | null
}

/** Looks at everything that health is judged by, and judges it. Never rejects for want of a store: it says so. */
export async function lookAround(looking: Looking): Promise<Looked> {
  const { store, destinations, working, storeNow, disk, jobs, subscriptions, aside, flows, thresholds, clock } = looking
  const now = clock.now()
  const clockAhead = (clock.own?.() ?? now) - now
  const [seenStore, counted, paused, late, ...others] = await Promise.all([
    storeNow(),
    asked(store.status()),
    asked(store.paused()),
    asked(readLate(store, flows, thresholds, now)),
    jobs.status(),
    asked(subscriptions()),
    disk(),
    asked(store.gapCounts(now - DAY)),
    asked(store.watermarks()),
    asked(looking.alarms.kept()),
    asked(looking.silences()),
    asked(looking.schemaChanges()),
  ])
  const [jobsNow, faults, room, gaps, watermarks, alarms, silences, schemas] = others
  const seen: Seen = {
    store: seenStore,
    disk: room,
    clockAhead,
    clockJump: looking.clockJump(),
    log: looking.log(),
    eventLoopMs: looking.eventLoop().maxMs,
    lanes: counted && paused && lanesOf(counted.destinations, paused, working(), destinations),
    events: counted?.events ?? null,
    late: late && byClock(late),
    ledger: gaps && watermarks && { gaps, watermarks },
    jobs: jobsNow,
    subscriptions: faults,
    aside: aside(),
    doubts: looking.doubts(),
    untold: alarms?.untold ?? null,
    silences,
    schemas,
  }
  return {
    items: health(seen, now),
    alarms: alarms && standingOf(alarms.standing, looking.alarms.rules),
    untold: alarms && noticesOf(alarms.untold),
    status: counted && paused && statusOf(counted, paused, looking),
  }
}

function noticesOf(untold: readonly Untold[]): number {
  return untold.reduce((sum, { notices, dropped }) => sum + notices.length + dropped, 0)
}

/** The words of the rules beside what they are about. */
export function standingOf(standing: readonly Watched[], rules: readonly AlarmRule[]): StandingAlarm[] {
  return standing.flatMap(({ rule, thing, since, raisedAt, goneAt, means, todo }) => {
    const { severity, says } = rules.find(({ name }) => name === rule) ?? {}
    return severity && says ? [{ rule, severity, thing, says, since, raisedAt, goneAt, means, todo }] : []
  })
}

/** Null: the store cannot be asked now. */
async function asked<T>(answer: Promise<T>): Promise<T | null> {
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
