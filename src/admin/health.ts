import type { AdapterInstance } from '../adapters/adapter.ts'
import { runHealthCheck } from '../adapters/shared/health-check.ts'
import type { Archive } from '../archive/archive.ts'
import type { TrackedAlarm, Unsent } from '../domain/alarms/notice.ts'
import type { AlarmRule } from '../domain/alarms/rules.ts'
import type { ConfigWarning, HealthItem, JobStatus, RejectedRows } from '../domain/health/health.ts'
import {
  type ClockJump,
  health,
  type LateCount,
  type SchemaChange,
  type SubscriptionFault,
} from '../domain/health/hub-health.ts'
import type { DiskSnapshot, LogFailure, StorageSnapshot } from '../domain/health/storage-health.ts'
import type { Inactivity } from '../domain/inactivity.ts'
import { PLATFORM } from '../domain/queue/event.ts'
import { adviceOn, isDown } from '../domain/queue/outcome.ts'
import type { DestinationWork, OpenCircuit, QueueKey } from '../domain/queue/queue-key.ts'
import { StorageUnavailableError } from '../domain/values/errors.ts'
import type { Instant } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Flow } from '../flows/flow.ts'
import { type Clock, withTimeLimit } from '../lib/clock.ts'
import type { EventLoopDelay } from '../lib/event-loop.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type { Platform } from '../platform/platform.ts'
import type { HealthFinding } from '../ports/ports.ts'
import type { Audit, DeliveryRow, DestinationStatus, Pause, StorageStatus } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { type Late, readLate, type Thresholds } from './late.ts'

interface Requests {
  connections: number
  inFlightBytes: number
  refused: Record<string, number>
  /** By reason and interface (`/admin`). */
  refusedAt: Record<string, Record<string, number>>
}

export interface OutageView extends OpenCircuit {
  means: string
  todo: string
  down: boolean
}

export interface Status {
  version: string
  destinations: (Omit<DestinationStatus, 'destination'> &
    Omit<DestinationWork, 'destination' | 'inFlight' | 'outage'> & {
      name: string
      inFlight: number
      outage: OutageView | null
      paused: Pause | null
      /** False: deliveries are pending, but config has no such destination. */
      configured: boolean
    })[]
  events: StorageStatus['events']
  requests: Requests
  /** Unreadable rows of the platform's lists. */
  rejected: RejectedRows[]
}

export interface HealthSources {
  storage: Storage
  destinations: readonly string[]
  working(): DestinationWork[]
  requests(): Requests
  rejected(): RejectedRows[]
  /** Whether the storage can write, by writing. */
  storeNow(): Promise<StorageSnapshot>
  disk(): Promise<DiskSnapshot | null>
  clockJump(): ClockJump | null
  log(): LogFailure | null
  eventLoop(): EventLoopDelay
  jobs: { status(): Promise<JobStatus[]> }
  subscriptions(): Promise<SubscriptionFault[]>
  warnings(): readonly ConfigWarning[]
  schemaChanges(): Promise<SchemaChange[]>
  inactivities(): Promise<Inactivity[]>
  alarms: { rules: readonly AlarmRule[]; kept(): Promise<{ active: TrackedAlarm[]; unsent: Unsent[] }> }
  flows: readonly Flow[]
  thresholds: Thresholds
  clock: Clock
}

export async function readStatus(sources: HealthSources): Promise<Status> {
  const [counted, paused] = await Promise.all([sources.storage.status(), sources.storage.paused()])
  return statusOf(counted, queuesOf(counted, paused, sources), sources)
}

function statusOf({ events }: StorageStatus, queues: ReturnType<typeof queuesOf>, sources: HealthSources): Status {
  const { requests, rejected, clock } = sources
  const destinations = queues.map((queueKey) => ({
    ...queueKey,
    outage: queueKey.outage && outageView(queueKey.outage, clock.now()),
  }))
  return { version: OWN_VERSION, destinations, events, requests: requests(), rejected: rejected() }
}

/** Each queue with pending deliveries, and one of each other destination of config. */
function queuesOf(
  { destinations: counted }: StorageStatus,
  paused: readonly (Pause & { queueKey: QueueKey })[],
  { working, destinations: configured }: HealthSources,
) {
  const counts = { waiting: 0, retrying: 0, held: 0, dead: 0 }
  const nothing = { urgency: 'prompt' as const, ...counts, oldest: null, oldestWaiting: null, oldestHeld: null }
  const isIdle = (name: string) => counted.every(({ destination }) => destination !== name)
  const idle = configured.filter(isIdle).map((destination) => ({ ...nothing, destination }))
  const works = working()
  return [...counted, ...idle]
    .map(({ destination: name, urgency, ...counts }) => {
      const { inFlight, outage, failing, tookAt, callsPerSecond }: Partial<DestinationWork> =
        works.find(({ destination }) => destination === name) ?? {}
      const pause = paused.find(({ queueKey }) => queueKey.destination === name && queueKey.urgency === urgency)
      return {
        ...{ name, urgency, ...counts, inFlight: inFlight?.[urgency] ?? 0, outage: outage ?? null },
        ...{ failing: failing ?? null, tookAt: tookAt ?? null, callsPerSecond: callsPerSecond ?? null },
        paused: pause ? { until: pause.until, why: pause.why } : null,
        configured: configured.includes(name),
      }
    })
    .sort((a, b) => a.name.localeCompare(b.name))
}

function outageView(outage: OpenCircuit, now: Instant): OutageView {
  const { means, todo } = adviceOn(outage.code)
  return { ...outage, means, todo, down: isDown(outage, now) }
}

export type ActiveAlarm = Pick<TrackedAlarm, 'rule' | 'thing' | 'since' | 'raisedAt' | 'goneAt' | 'means' | 'todo'> &
  Pick<AlarmRule, 'severity' | 'says'>

/** Null: the storage cannot be read now. */
export interface HealthReport {
  items: HealthItem[]
  alarms: ActiveAlarm[] | null
  unsent: number | null
  status: Status | null
}

const DAY = 24 * 3_600_000

/** A storage that cannot be read is a health item, no rejection. */
export async function readHealth(sources: HealthSources): Promise<HealthReport> {
  const { storage, flows, thresholds, clock, alarms } = sources
  const now = clock.now()
  const clockAhead = (clock.machineNow?.() ?? now) - now
  const [storeNow, disk, jobs, counted, paused, late, faults, gaps, watermarks, kept, inactivities, schemas, newest] =
    await Promise.all([
      sources.storeNow(),
      sources.disk(),
      sources.jobs.status(),
      orNull(storage.status()),
      orNull(storage.paused()),
      orNull(readLate(storage, flows, thresholds, now)),
      orNull(sources.subscriptions()),
      orNull(storage.gapCounts(now - DAY)),
      orNull(storage.watermarks()),
      orNull(alarms.kept()),
      orNull(sources.inactivities()),
      orNull(sources.schemaChanges()),
      orNull(storage.events({ limit: 1 })),
    ])
  const queues = counted && paused && queuesOf(counted, paused, sources)
  const items = health(
    {
      store: storeNow,
      disk,
      clockAhead,
      clockJump: sources.clockJump(),
      log: sources.log(),
      eventLoopMs: sources.eventLoop().maxMs,
      newest: newest?.[0]?.receivedAt ?? null,
      queues,
      events: counted?.events ?? null,
      late: late && byClock(late),
      completeness: gaps && watermarks && { gaps, watermarks },
      jobs,
      subscriptions: faults,
      rejected: sources.rejected(),
      warnings: sources.warnings(),
      unsent: kept?.unsent ?? null,
      inactivities,
      schemas,
    },
    now,
  )
  return {
    items,
    alarms: kept && activeAlarms(kept.active, alarms.rules),
    unsent: kept?.unsent.reduce((sum, { notices, dropped }) => sum + notices.length + dropped, 0) ?? null,
    status: counted && queues && statusOf(counted, queues, sources),
  }
}

export function activeAlarms(active: readonly TrackedAlarm[], rules: readonly AlarmRule[]): ActiveAlarm[] {
  return active.flatMap(({ rule, thing, since, raisedAt, goneAt, means, todo }) => {
    const { severity, says } = rules.find(({ name }) => name === rule) ?? {}
    return severity && says ? [{ rule, severity, thing, says, since, raisedAt, goneAt, means, todo }] : []
  })
}

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof StorageUnavailableError) return null
    throw error
  }
}

function byClock(late: readonly Late[]): LateCount[] {
  return [...Map.groupBy(late, ({ clock }) => clock)].map(([clock, all]) => ({
    clock,
    count: all.length,
    since: Math.min(...all.map(({ since }) => since)),
  }))
}

export interface CheckedSystem {
  destination: string
  /** Null: its adapter has no health check. */
  found: HealthFinding[] | null
}

export interface Doctored {
  items: HealthItem[]
  systems: CheckedSystem[]
}

export interface System extends Pick<AdapterInstance, 'healthCheck'> {
  name: string
}

const DEADLINE = 10_000

/** Never rejects: an unreachable system is a finding. */
export async function checkSystems(systems: readonly System[], clock: Clock): Promise<CheckedSystem[]> {
  return await Promise.all(systems.map((system) => checkSystem(system, clock)))
}

async function checkSystem({ name, healthCheck }: System, clock: Clock): Promise<CheckedSystem> {
  if (!healthCheck) return { destination: name, found: null }
  const asking = new AbortController()
  const answered = await withTimeLimit(clock, DEADLINE, runHealthCheck({ healthCheck }, { signal: asking.signal }))
  if (answered === null) asking.abort(new Error('the deadline is over'))
  const found = answered ?? [notAnswered]
  return { destination: name, found: found.map((one) => ({ ...one, says: one.says.replaceAll(`(${name}: `, '(') })) }
}

const notAnswered: HealthFinding = {
  what: 'connection',
  state: 'problem',
  says: `It did not answer within ${DEADLINE / 1_000} s.`,
  todo: adviceOn('no-answer').todo,
}

export function archiveToExamine(archive: Archive | null): System[] {
  return archive === null ? [] : [{ name: 'archive', healthCheck: ({ signal }) => archive.healthCheck(signal) }]
}

/** Reading its stores proves both keys. */
export function platformToExamine(platform: Pick<Platform, 'stores'> | null): System[] {
  if (platform === null) return []
  return [
    {
      name: PLATFORM,
      async healthCheck({ signal }) {
        const { rows } = await platform.stores.list(signal)
        const says = `It is reached, knows both keys, and names ${pluralize(rows.length, 'store')}.`
        return [{ what: 'credentials', state: 'ok', says }]
      },
    },
  ]
}

export interface Probed extends CheckedSystem {
  before: OpenCircuit | null
  now: OpenCircuit | null
  paused: string | null
  held: string | null
}

interface Probing extends Pick<HealthSources, 'storage' | 'working' | 'clock'> {
  systems: readonly System[]
  probe(destination: string): Promise<void>
  holdsDeliveries(): string | null
}

/** Wait for a call or a job (ms): a proxy cuts longer answers. */
export const LONGEST_WAIT = 30_000

const LOOKED_AT = 500

/** Probes a destination whose circuit is open with one delivery; resolves when that call has ended. */
export async function tryNow(probing: Probing, destination: string, audit: Audit): Promise<void> {
  const { storage, holdsDeliveries, clock, probe } = probing
  if (outageOf(probing, destination) === null || holdsDeliveries() !== null) return
  const one = toBeDue(await storage.deliveries({ destination, state: 'waiting', limit: LOOKED_AT }), clock.now())
  if (one !== null) await storage.retry({ id: one }, audit, false)
  await probe(destination)
}

/** The same, with the health check of its adapter. */
export async function probeNow(probing: Probing, destination: string, audit: Audit): Promise<Probed> {
  const { storage, systems, clock, holdsDeliveries } = probing
  const before = outageOf(probing, destination)
  const system = systems.find(({ name }) => name === destination) ?? { name: destination }
  const tried = tryNow(probing, destination, audit)
  const [checked] = await Promise.all([checkSystem(system, clock), withTimeLimit(clock, LONGEST_WAIT, tried)])
  const paused = (await storage.paused()).find(({ queueKey }) => queueKey.destination === destination)?.why ?? null
  return { ...checked, before, now: outageOf(probing, destination), paused, held: holdsDeliveries() }
}

function outageOf({ working }: Pick<Probing, 'working'>, name: string): OpenCircuit | null {
  return working().find(({ destination }) => destination === name)?.outage ?? null
}

/** The oldest failed delivery that is first of its entity; null: one is due already, or none has failed. */
function toBeDue(waiting: readonly DeliveryRow[], now: Instant): number | null {
  // Newest first: of several of one entity the last is the first in its line.
  const firsts = [...new Map(waiting.map((row) => [row.entity ?? row.id, row])).values()]
  if (firsts.some(({ dueAt }) => dueAt <= now)) return null
  const failed = firsts.filter(({ tries }) => tries > 0).map(({ id }) => id)
  return failed.length === 0 ? null : Math.min(...failed)
}
