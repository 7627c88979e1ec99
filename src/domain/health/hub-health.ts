import { type Unsent, unsentHealth } from '../alarms/notice.ts'
import { NEVER, type Watermark } from '../completeness/completeness.ts'
import type { GapCount } from '../completeness/gap.ts'
import { nearness } from '../completeness/horizon.ts'
import { type Inactivity, inactivityHealth } from '../inactivity.ts'
import { adviceOn, isDown, outageOf, refusesKey } from '../queue/outcome.ts'
import { CALLS, type DestinationWork, type OpenCircuit, OUTAGE_ALARM, type Urgency } from '../queue/queue-key.ts'
import type { Instant } from '../values/instant.ts'
import { pluralize, sentence, stripPrefix } from '../values/text.ts'
import {
  type ConfigWarning,
  type HealthArea,
  type HealthItem,
  isOff,
  item,
  type JobStatus,
  listHealth,
  okItem,
  type RejectedRows,
} from './health.ts'
import {
  type DiskSnapshot,
  diskHealth,
  type LogFailure,
  logHealth,
  type StorageSnapshot,
  storageHealth,
} from './storage-health.ts'
import { type HealthMessage, message } from './texts.ts'

export interface HealthSnapshot {
  store: StorageSnapshot
  disk: DiskSnapshot | null
  /** This machine's clock minus the storage's (ms). */
  clockAhead: number
  clockJump?: ClockJump | null
  log?: LogFailure | null
  /** Longest event-loop delay of the last minute (ms). */
  eventLoopMs?: number | null
  /** When the newest event came; an ahead clock wrote one that lies in the future. */
  newest?: Instant | null
  queues: QueueSnapshot[] | null
  events: SeenEvents | null
  late: LateCount[] | null
  completeness?: SeenCompleteness | null
  jobs: JobStatus[] | null
  subscriptions: SubscriptionFault[] | null
  rejected: RejectedRows[]
  warnings: readonly ConfigWarning[]
  schemas: readonly SchemaChange[] | null
  inactivities: readonly Inactivity[] | null
  unsent: readonly Unsent[] | null
}

/** Judges the snapshot, with remedies: the one answer of `/health/ready`, `status`, `doctor` and metrics. */
export function health(seen: HealthSnapshot, now: Instant): HealthItem[] {
  const { store, disk, queues, events, late, completeness, jobs, subscriptions } = seen
  const fetches = jobs === null || jobs.some((job) => job.name === 'resend-failed' && !isOff(job))
  return [
    storageHealth(store, { fetches, ground: disk === null ? 'server' : disk.isGone ? 'gone' : 'file' }),
    ...diskHealth(disk),
    clockHealth(seen.clockAhead),
    ...clockJumpHealth(seen.clockJump ?? null, now),
    ...newestHealth(seen.newest ?? null, now),
    ...logHealth(seen.log ?? null),
    ...eventLoopHealth(seen.eventLoopMs ?? null),
    ...(queues === null ? [notAsked('queue')] : destinationHealth(queues, now)),
    ...(events === null ? [notAsked('event')] : eventHealth(events, now)),
    ...(late === null ? [notAsked('event', 'late')] : lateHealth(late)),
    ...(completeness ? completenessHealth(completeness, now) : []),
    ...(jobs === null ? [notAsked('job')] : jobHealth(jobs)),
    ...(subscriptions === null ? [notAsked('subscription')] : subscriptionHealth(subscriptions, jobs ?? [])),
    ...listHealth(seen.rejected),
    ...configHealth(seen.warnings),
    ...schemaHealth(seen.schemas ?? [], now),
    ...inactivityHealth(seen.inactivities ?? [], isPlatformWell(jobs ?? [], now)),
    ...unsentHealth(seen.unsent ?? []),
  ]
}

function isPlatformWell(jobs: readonly JobStatus[], now: Instant): boolean {
  const asked = jobs.filter((job) => (job.name === 'resend-failed' || job.name === 'subscriptions') && !isOff(job))
  const answers = asked.some(({ lastSucceededAt }) => lastSucceededAt !== null && now - lastSucceededAt < 3_600_000)
  return answers && asked.every(({ failures }) => failures === 0)
}

type Unread = Extract<HealthArea, 'queue' | 'event' | 'job' | 'subscription'>

function notAsked(area: Unread, what: Unread | 'late' = area): HealthItem {
  return item(area, 'all', 'unknown', message(`health.unread.${what}`))
}

function configHealth(warnings: readonly ConfigWarning[]): HealthItem[] {
  return warnings.map(({ key, found, expected: given }) => {
    const expected = /[.?]$/.test(given) ? given : `${given}.`
    const says =
      found === undefined ? message('health.config', { expected }) : message('health.config.found', { found, expected })
    // Lists may be stale: `check` exits with 1, a running hub goes on.
    return item('config', key, 'note', says, message('todo.config'))
  })
}

/** POS and platform notice longer turns (ms). */
const SLOW_TURN_MS = 1_000

function eventLoopHealth(maxMs: number | null): HealthItem[] {
  if (maxMs === null || maxMs < SLOW_TURN_MS) return []
  const says = message('health.event-loop', { seconds: { amount: maxMs / 1_000, decimals: 1 } })
  return [item('event loop', 'event loop', 'note', says, message('todo.event-loop'))]
}

interface SeenEvents {
  unrouted: number
  quarantined: number
  conflicts: number
  reusedKeys: { count: number; last: Instant | null }
}

/** Older ones come from a header corrected since (ms). */
const LATELY = 24 * 3_600_000

function eventHealth({ unrouted, quarantined, conflicts, reusedKeys }: SeenEvents, now: Instant): HealthItem[] {
  const isReused = reusedKeys.count > 0 && reusedKeys.last !== null && now - reusedKeys.last < LATELY
  const found = [
    { name: 'unrouted', what: 'unrouted', n: unrouted, since: null },
    { name: 'quarantined', what: 'quarantined', n: quarantined, since: null },
    { name: 'conflict', what: 'conflict', n: conflicts, since: null },
    { name: 'reused ids', what: 'reused', n: isReused ? reusedKeys.count : 0, since: reusedKeys.last },
  ] as const
  const items = found.flatMap(({ name, what, n, since }) =>
    n > 0 ? [item('event', name, 'problem', message(`health.${what}`, { n }), message(`todo.${what}`), { since })] : [],
  )
  return items.length > 0 ? items : [okItem('event', 'all', 'Each is where it belongs.')]
}

export type ClockName = 'reported' | 'captured' | 'declined' | 'expired' | 'shipped' | 'refunded' | 'created' | 'placed'

export interface LateCount {
  clock: ClockName
  count: number
  since: Instant
}

function lateHealth(late: readonly LateCount[]): HealthItem[] {
  return late.map(({ clock, count, since }) => {
    const says = message('health.late', { n: count, clock: message(`clock.${clock}`) })
    return item('event', `late: ${clock}`, 'problem', says, message('todo.late'), { since })
  })
}

const FEW_FAILURES = 3

function jobHealth(jobs: readonly JobStatus[]): HealthItem[] {
  return jobs.map((job) => {
    const { name, failures, problem, overdue, cutOff, running, lastSucceededAt, lastFailedAt, nextRunAt, code } = job
    const more = { since: lastSucceededAt ?? lastFailedAt, ...(nextRunAt !== null && { next: nextRunAt }) }
    const judged = (state: 'note' | 'problem', says: HealthMessage) =>
      item('job', name, state, says, state === 'problem' ? message('todo.job', { name }) : null, more)
    const missed = lastSucceededAt === null ? 'health.job.never' : 'health.job.missed'
    if (overdue && problem === null) return judged('problem', message(running ? `${missed}-runs` : missed))
    if (failures > 0) {
      const refused = code !== null && refusesKey(code) ? message('health.job.refused') : ''
      const isProblem = overdue || failures > FEW_FAILURES || (code !== null && adviceOn(code).person)
      const said = { n: failures, refused }
      const says =
        problem === null
          ? message('health.job.failed', said)
          : message('health.job.failed-by', { ...said, problem: sentence(problem) })
      return judged(isProblem ? 'problem' : 'note', says)
    }
    if (cutOff) return judged('note', message('health.job.cut-off'))
    return okItem('job', name, job.note ?? 'It has not run yet.')
  })
}

/** A kind whose events do not arrive as config wants. */
export interface SubscriptionFault {
  name: string
  why: string
  since: Instant
  harmless: boolean
}

function subscriptionHealth(faults: readonly SubscriptionFault[], jobs: readonly JobStatus[]): HealthItem[] {
  const job = jobs.find(({ name }) => name === 'subscriptions')
  if (job === undefined) return []
  if (faults.length > 0)
    return faults.map(({ name, why, since, harmless }) => {
      const todo = harmless ? null : message('todo.subscription')
      return item('subscription', name, harmless ? 'note' : 'problem', message('health.subscription', { why }), todo, {
        since,
      })
    })
  if (job.lastSucceededAt === null) return []
  return [okItem('subscription', 'all', job.note ?? 'They are as they should be.')]
}

export interface SchemaChange {
  kind: string
  at: Instant
  text: string
  breaks: boolean
  flows: readonly string[]
}

/** (ms) */
const TOLD = 7 * 24 * 3_600_000

function schemaHealth(changes: readonly SchemaChange[], now: Instant): HealthItem[] {
  return changes
    .filter(({ at }) => now - at < TOLD)
    .map(({ kind, at, text, breaks, flows }) => {
      const says =
        flows.length === 0
          ? message('health.schema.nothing', { text })
          : message('health.schema', { text, flows: flows.join(', ') })
      const todo = breaks ? message('todo.schema', { name: kind }) : null
      return item('schema', kind, breaks ? 'problem' : 'note', says, todo, { since: at })
    })
}

interface SeenCompleteness {
  gaps: GapCount[]
  watermarks: Watermark[]
}

function completenessHealth({ gaps, watermarks }: SeenCompleteness, now: Instant): HealthItem[] {
  const items = gaps
    .filter((one) => one.open > 0)
    .map(({ cause, open: count, oldest }) => {
      const says = message('health.gaps', { n: count, cause: message(`gap.cause.${cause}`) })
      const todo = message('todo.gaps', { remedy: message(`gap.remedy.${cause}`) })
      return item('completeness', cause, 'problem', says, todo, { since: oldest })
    })
  const claimed = gaps.find(({ cause, open: count, recent }) => cause === 'claimed' && count === 0 && recent > 0)
  if (claimed !== undefined) {
    const says = message('health.claimed', { n: claimed.recent, cause: message('gap.cause.claimed') })
    items.push(item('completeness', 'claimed', 'problem', says, message('gap.remedy.claimed')))
  }
  const marks = watermarks.filter(({ level }) => level === 'log')
  const unswept = marks.filter(({ until }) => until === NEVER)
  const [never] = unswept
  if (never !== undefined) {
    const n = new Set(unswept.map(({ kind }) => kind)).size
    const says = message('health.never-scanned', { n, kind: never.kind })
    items.push(item('completeness', 'never scanned', 'note', says, SWEEP, { since: never.since }))
  }
  const [first] = marks.filter(({ until }) => until !== NEVER).sort((a, b) => a.until - b.until)
  if (first === undefined) return items
  const near = nearness(first.until, now)
  if (near !== 'far') {
    const says = message(near === 'passed' ? 'health.log-expired' : 'health.log-expires', { kind: first.kind })
    const state = near === 'half' ? 'note' : 'problem'
    items.push(item('completeness', `log of ${first.kind}`, state, says, SWEEP, { since: first.until }))
  }
  return items.length > 0
    ? items
    : [okItem('completeness', 'complete', 'Everything that the event log tells of is here.')]
}

const SWEEP = message('todo.job', { name: 'reconcile-log' })

export interface ClockJump {
  whose?: 'database'
  at: Instant
  /** Milliseconds; negative: set back. */
  by: number
}

/** More than NTP slews between two readings; signatures fail; reported for so long (ms). */
const JUMP = 5_000
const FAR = 60_000
const TOLD_FOR = 3_600_000

/** `steady`: monotonic (ms). */
export interface ClockReading {
  wall: Instant
  steady: number
}

export function jumpBetween(before: ClockReading, now: ClockReading): ClockJump | null {
  const by = Math.round(now.wall - before.wall - (now.steady - before.steady))
  return Math.abs(by) < JUMP ? null : { at: now.wall, by }
}

export function newestHealth(newest: Instant | null, now: Instant): HealthItem[] {
  if (newest === null || newest - now < FAR) return []
  const says = message('health.clock.newest', { time: { at: newest } })
  return [item('clock', 'newest', 'problem', says, message('todo.clock.newest'))]
}

export function clockJumpHealth(jump: ClockJump | null, now: Instant): HealthItem[] {
  if (jump === null || now - jump.at > TOLD_FOR) return []
  const { at, by, whose = 'machine' } = jump
  const way = by > 0 ? 'ahead' : 'back'
  const seconds = { amount: Math.round(Math.abs(by) / 1_000) }
  const says = message(`health.jump.${way}`, { clock: message(`health.jump.${whose}`), seconds, time: { at } })
  const state = Math.abs(by) < FAR ? 'note' : 'problem'
  return [item('clock', 'jump', state, says, message(`todo.jump.${whose}`), { since: at })]
}

/** `ahead`: this machine minus the storage (ms). */
export function clockHealth(ahead: number): HealthItem {
  const off = Math.abs(ahead)
  if (off < JUMP) return okItem('clock', 'clock', 'This machine and the store agree on the time.')
  const way = ahead > 0 ? 'ahead' : 'behind'
  const says = message(`health.clock.${way}`, { seconds: Math.round(off / 1_000) })
  return item('clock', 'clock', off < FAR ? 'note' : 'problem', says, message('todo.clock'))
}

export interface QueueSnapshot
  extends Pick<DestinationWork, 'outage' | 'failing' | 'tookAt' | 'callsPerSecond'>,
    Record<'waiting' | 'held' | 'dead', number>,
    Record<'oldestWaiting' | 'oldestHeld', Instant | null> {
  name: string
  urgency: Urgency
  paused: { until: Instant | null; why: string } | null
  configured: boolean
}

/** Longer than any wait for a store's day to close (ms). */
const OLD = 26 * 3_600_000

export function destinationHealth(queues: readonly QueueSnapshot[], now: Instant): HealthItem[] {
  const byName = [...Map.groupBy(queues, ({ name }) => name).values()]
  return [
    ...byName.flatMap((of) => (of[0] ? [destinationItem(of[0], of, now)] : [])),
    ...queues.filter(({ configured }) => configured).flatMap((queue) => queueItems(queue, now)),
  ]
}

function destinationItem(first: QueueSnapshot, queues: readonly QueueSnapshot[], now: Instant): HealthItem {
  const { name, outage, failing, tookAt, callsPerSecond } = first
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0)
  const judged = (isProblem: boolean, says: HealthMessage, more: Partial<HealthItem> = {}, asks?: HealthMessage) =>
    item('destination', name, isProblem ? 'problem' : 'note', says, asks, more)
  if (!first.configured) {
    const n = queues.reduce((sum, { waiting, held, dead }) => sum + waiting + held + dead, 0)
    return judged(true, message('health.gone', { n }), { fault: 'gone' }, message('todo.gone', { name }))
  }
  const isPaused = queues.every(({ paused }) => paused !== null)
  if (outage !== null && waiting > 0) {
    const { code, since, until } = outage
    const more = { fault: 'outage', since, ...(!isPaused && { next: until }) } as const
    const asks = message(isPaused ? 'todo.paused' : 'todo.probe', { name, else: remedyOf(code) })
    return judged(
      isDown(outage, now) && !isPaused,
      message('health.down', { cause: causeOf(name, outage) }),
      more,
      asks,
    )
  }
  // Nothing pending means no probe would ever find it well.
  if (outage !== null)
    return okItem('destination', name, 'It was down when it was called last; nothing waits for it.', MET)
  if (failing !== null && waiting > 0) {
    const { since, calls, code } = failing
    const lasts = calls >= CALLS && now - since > OUTAGE_ALARM
    const says = message('health.failing', { n: calls, cause: causeOf(name, failing) })
    return judged(lasts && !isPaused, says, { fault: 'outage', since }, remedyOf(code))
  }
  if (callsPerSecond !== null) {
    const decimals = callsPerSecond >= 10 ? 0 : callsPerSecond >= 1 ? 1 : 2
    return judged(false, message('health.slowed', { rate: { amount: callsPerSecond, decimals } }))
  }
  if (waiting > 0 && tookAt === null) return okItem('destination', name, 'Nothing was sent to it yet.')
  return okItem('destination', name, 'It takes what is sent.', MET)
}

const MET = { isMet: true } as const

function causeOf(name: string, { code, why }: Pick<OpenCircuit, 'code' | 'why'>): HealthMessage {
  const outage = message(`outage.${outageOf(code)}`)
  return message(refusesKey(code) ? 'health.cause.refused' : 'health.cause', { outage, code, why: saidOf(name, why) })
}

function remedyOf(code: string): HealthMessage {
  return message('todo.remedy', { remedy: message(`remedy.${outageOf(code)}`) })
}

function saidOf(name: string, why: string): string {
  const bare = stripPrefix(name, why).replace(/\.$/, '')
  return bare.length > 120 ? `${bare.slice(0, 120)}…` : bare
}

function queueItems(queue: QueueSnapshot, now: Instant): HealthItem[] {
  const { name, urgency, waiting, held, dead, oldestWaiting, oldestHeld, paused } = queue
  const items: HealthItem[] = []
  const add = (what: 'paused' | 'dead' | 'held' | 'waiting', says: HealthMessage, more: Partial<HealthItem>) => {
    const state = what === 'paused' ? 'note' : 'problem'
    items.push(item('queue', `${name} ${urgency}`, state, says, message(`todo.queue.${what}`, { name }), more))
  }
  if (paused !== null) {
    const why = `${paused.why.slice(0, 1).toUpperCase()}${paused.why.slice(1)}`
    const says = message(waiting === 0 ? 'health.queue.paused-empty' : 'health.queue.paused', { why, n: waiting })
    add('paused', says, paused.until === null ? {} : { next: paused.until })
  }
  if (dead > 0) add('dead', message('health.queue.dead', { n: dead }), { fault: 'dead' })
  if (held > 0) add('held', message('health.queue.held', { n: held }), { fault: 'held', since: oldestHeld })
  if (oldestWaiting !== null && now - oldestWaiting > OLD)
    add('waiting', message('health.queue.waiting', { n: waiting }), { fault: 'waiting', since: oldestWaiting })
  return items.length > 0
    ? items
    : [okItem('queue', `${name} ${urgency}`, waiting === 0 ? 'Empty.' : `${pluralize(waiting, 'waits', 'wait')}.`)]
}
