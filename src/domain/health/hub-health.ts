import { type Untold, untoldHealth } from '../alarms/outbox.ts'
import { type Silence, silenceHealth } from '../silence/silences.ts'
import type { Instant } from '../values/instant.ts'
import { type ClockJump, clockJumpHealth, newestHealth } from './clock-jump.ts'
import { configHealth } from './config-health.ts'
import { destinationHealth, type SeenLane } from './destination-health.ts'
import { diskHealth, type SeenDisk } from './disk-health.ts'
import type { Doubt } from './doubt.ts'
import { eventHealth, type SeenEvents } from './event-health.ts'
import { eventLoopHealth } from './event-loop-health.ts'
import type { HealthArea, HealthItem } from './health.ts'
import { jobHealth, subscriptionHealth } from './job-health.ts'
import { isOff, type JobStatus } from './job-status.ts'
import { lateHealth, type SeenLate } from './late-health.ts'
import { ledgerHealth, type SeenLedger } from './ledger-health.ts'
import { listHealth } from './list-health.ts'
import { type LogTrouble, logHealth } from './log-health.ts'
import type { RowsAside } from './rows-aside.ts'
import { type SeenSchemaChange, schemaHealth } from './schema-health.ts'
import { clockHealth, type SeenStore, storeHealth } from './store-health.ts'
import type { SubscriptionFault } from './subscription-fault.ts'

/** All that the hub is made of and depends on, as it was found a moment ago. Null: it could not be asked. */
export interface Seen {
  store: SeenStore
  disk: SeenDisk | null
  /** How far this machine's clock is before the store's (milliseconds). */
  clockAhead: number
  /** The last time that this machine's clock was set. */
  clockJump?: ClockJump | null
  /** Why lines of the log do not get where they go. */
  log?: LogTrouble | null
  /** The longest turn of the event loop within the last minute (milliseconds). */
  eventLoopMs?: number | null
  /** When the newest event was kept. */
  newest?: Instant | null
  lanes: SeenLane[] | null
  events: SeenEvents | null
  late: SeenLate[] | null
  /** Proof of what is here. */
  ledger?: SeenLedger | null
  jobs: JobStatus[] | null
  subscriptions: SubscriptionFault[] | null
  aside: RowsAside[]
  /** Values that are most likely wrong in the config that counts. */
  doubts: readonly Doubt[]
  /** Changes of the platform's schemas. */
  schemas: readonly SeenSchemaChange[] | null
  /** Stores and kinds that are unusually quiet. */
  silences: readonly Silence[] | null
  /** Alarms that somebody has not got yet. */
  untold: readonly Untold[] | null
}

/** The judgement of everything seen, with what to do: the one answer that `/health/ready`, `status`, `doctor` and the metrics give. Pure. */
export function health(seen: Seen, now: Instant): HealthItem[] {
  const {
    store,
    disk,
    clockAhead,
    clockJump = null,
    newest = null,
    log = null,
    eventLoopMs = null,
    lanes,
    events,
    late,
    ledger,
    jobs,
    subscriptions,
    aside,
    doubts,
    untold,
    silences,
    schemas,
  } = seen
  return [
    storeHealth(store, {
      fetches: jobs === null || jobs.some((job) => job.name === 'resend-failed' && !isOff(job)),
      ground: disk === null ? 'server' : disk.isGone ? 'gone' : 'file',
    }),
    ...diskHealth(disk),
    clockHealth(clockAhead),
    ...clockJumpHealth(clockJump, now),
    ...newestHealth(newest, now),
    ...logHealth(log),
    ...eventLoopHealth(eventLoopMs),
    ...(lanes === null ? [notAsked('lane', 'What waits, is held or dead')] : destinationHealth(lanes, now)),
    ...(events === null ? [notAsked('event', 'Whether events are out of place')] : eventHealth(events, now)),
    ...(late === null ? [notAsked('event', 'Whether anything is late')] : lateHealth(late)),
    ...(ledger ? ledgerHealth(ledger, now) : []),
    ...(jobs === null ? [notAsked('job', 'How the jobs went')] : jobHealth(jobs)),
    ...(subscriptions === null
      ? [notAsked('subscription', 'What is subscribed')]
      : subscriptionHealth(subscriptions, jobs ?? [])),
    ...listHealth(aside),
    ...configHealth(doubts),
    ...schemaHealth(schemas ?? [], now),
    ...silenceHealth(silences ?? [], isPlatformWell(jobs ?? [], now)),
    ...untoldHealth(untold ?? []),
  ]
}

/** Whether the platform has answered within the hour, and its log held nothing that failed for want of us. */
function isPlatformWell(jobs: readonly JobStatus[], now: Instant): boolean {
  const asked = jobs.filter((job) => (job.name === 'resend-failed' || job.name === 'subscriptions') && !isOff(job))
  const answers = asked.some(({ lastSucceededAt }) => lastSucceededAt !== null && now - lastSucceededAt < 3_600_000)
  return answers && asked.every(({ failures }) => failures === 0)
}

function notAsked(area: HealthArea, what: string): HealthItem {
  const means = `${what} is not known: the store could not be read.`
  return { area, name: 'all', state: 'unknown', since: null, means, todo: null }
}
