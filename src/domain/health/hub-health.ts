import { type Unsent, unsentHealth } from '../alarms/notice.ts'
import { NEVER, type Watermark } from '../completeness/completeness.ts'
import { CAUSES, type GapCount } from '../completeness/gap.ts'
import { nearness } from '../completeness/horizon.ts'
import { type Inactivity, inactivityHealth } from '../inactivity.ts'
import { adviceOn, isDown, refusesKey } from '../queue/outcome.ts'
import { CALLS, type DestinationWork, type OpenCircuit, OUTAGE_ALARM, type Urgency } from '../queue/queue-key.ts'
import { formatInstant, type Instant } from '../values/instant.ts'
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
    ...(queues === null ? [notAsked('queue', 'What waits, is held or dead')] : destinationHealth(queues, now)),
    ...(events === null ? [notAsked('event', 'Whether events are out of place')] : eventHealth(events, now)),
    ...(late === null ? [notAsked('event', 'Whether anything is late')] : lateHealth(late)),
    ...(completeness ? completenessHealth(completeness, now) : []),
    ...(jobs === null ? [notAsked('job', 'How the jobs went')] : jobHealth(jobs)),
    ...(subscriptions === null
      ? [notAsked('subscription', 'What is subscribed')]
      : subscriptionHealth(subscriptions, jobs ?? [])),
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

function notAsked(area: HealthArea, what: string): HealthItem {
  return item(area, 'all', 'unknown', `${what} is not known: the store could not be read.`)
}

function configHealth(warnings: readonly ConfigWarning[]): HealthItem[] {
  return warnings.map(({ key, found, expected }) => {
    const means = `Most likely wrong: ${found === undefined ? '' : `found ${found}, `}expected ${expected}${/[.?]$/.test(expected) ? '' : '.'}`
    // Lists may be stale: `check` exits with 1, a running hub goes on.
    return item('config', key, 'note', means, 'tillbridge check names its line. Correct it, then: tillbridge reload.')
  })
}

/** POS and platform notice longer turns (ms). */
const SLOW_TURN_MS = 1_000

function eventLoopHealth(maxMs: number | null): HealthItem[] {
  if (maxMs === null || maxMs < SLOW_TURN_MS) return []
  const means = `For ${(maxMs / 1_000).toFixed(1)} s within the last minute this hub answered nobody: a payload or a flow took that long, or its machine was too busy.`
  const todo =
    'Where the log says event-loop.stalled, deliveries that were in flight are counted (docs/delivery.md); on a busy machine, give the hub more of a processor.'
  return [item('event loop', 'event loop', 'note', means, todo)]
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
  const items: HealthItem[] = []
  const add = (name: string, means: string, todo: string, since: Instant | null = null) =>
    items.push(item('event', name, 'problem', means, todo, { since }))
  if (unrouted > 0)
    add(
      'unrouted',
      `${eventsThat(unrouted)} no destination wanted.`,
      `tillbridge events list --state unrouted --no-dismissed: put the kind into the config and reroute, or ${DISMISS}.`,
    )
  if (quarantined > 0)
    add(
      'quarantined',
      `${eventsThat(quarantined)} could not be read.`,
      `tillbridge events list --state quarantined --no-dismissed: events show says why: correct what sends it (of a poll, its mapping in config), map a field of a webhook that has another name (tillbridge kinds propose) and start again, or have it sent again, then ${DISMISS}.`,
    )
  if (conflicts > 0)
    add(
      'conflict',
      `${eventsThat(conflicts)} contradicts what came before under the same identity.`,
      `tillbridge events list --conflict --no-dismissed: compare, then tillbridge events accept … --reason "…" (both happened) or ${DISMISS}.`,
    )
  if (reusedKeys.count > 0 && reusedKeys.last !== null && now - reusedKeys.last < LATELY)
    add(
      'reused ids',
      `${pluralize(reusedKeys.count, 'event')} came under the event id of another one. Each was taken all the same.`,
      'tillbridge doctor names the right header for platform.webhooks.eventIdHeader; tillbridge events list --reused-key lists them.',
      reusedKeys.last,
    )
  return items.length > 0 ? items : [okItem('event', 'all', 'Each is where it belongs.')]
}

const DISMISS = 'tillbridge events dismiss … --reason "…"'

function eventsThat(count: number): string {
  return pluralize(count, 'event that', 'events, each of which')
}

export interface LateCount {
  clock: string
  count: number
  since: Instant
}

function lateHealth(late: readonly LateCount[]): HealthItem[] {
  return late.map(({ clock, count, since }) => {
    const means = `${count === 1 ? 'One thing' : `${count} things`} that a customer or the books wait for should be ${clock} by now.`
    return item('event', `late: ${clock}`, 'problem', means, 'tillbridge late names each, and why.', { since })
  })
}

const FEW_FAILURES = 3

function jobHealth(jobs: readonly JobStatus[]): HealthItem[] {
  return jobs.map((job) => {
    const { name, failures, problem, overdue, cutOff, running, lastSucceededAt, lastFailedAt, nextRunAt, code } = job
    const repair = `tillbridge jobs history ${name}: repair what it names, then tillbridge jobs run ${name}.`
    const more = { since: lastSucceededAt ?? lastFailedAt, ...(nextRunAt !== null && { next: nextRunAt }) }
    const judged = (state: 'note' | 'problem', means: string) =>
      item('job', name, state, means, state === 'problem' ? repair : null, more)
    const missed = lastSucceededAt === null ? 'It has not succeeded yet' : 'It has not succeeded for two of its turns'
    if (overdue && problem === null) return judged('problem', `${missed}${running ? '; it runs now' : ''}.`)
    if (failures > 0) {
      const refused = code !== null && refusesKey(code) ? ', credentials refused' : ''
      const often = failures === 1 ? 'It failed' : `It has failed ${failures} times`
      const isProblem = overdue || failures > FEW_FAILURES || (code !== null && adviceOn(code).person)
      const means = sentence(`${often}${refused}${problem === null ? '' : `: ${problem}`}`)
      return judged(isProblem ? 'problem' : 'note', means)
    }
    if (cutOff) return judged('note', 'Its hub stopped during the run; it is made up for.')
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
      const todo = 'tillbridge jobs run subscriptions tries it now; tillbridge doctor asks the platform.'
      return item('subscription', name, harmless ? 'note' : 'problem', why, harmless ? null : todo, { since })
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
      const means = `The platform changed its schema: ${text}. It touches ${flows.length === 0 ? 'no flow' : flows.join(', ')}.`
      const todo = `tillbridge kinds show ${kind}: does the hub still find what it reads? Else write platform.payloads.`
      return item('schema', kind, breaks ? 'problem' : 'note', means, breaks ? todo : null, { since: at })
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
      const { words, remedy } = CAUSES[cause]
      const means = `${pluralize(count, 'gap')}: ${words}`
      return item('completeness', cause, 'problem', means, `tillbridge gaps list; ${remedy}`, { since: oldest })
    })
  const claimed = gaps.find(({ cause, open: count, recent }) => cause === 'claimed' && count === 0 && recent > 0)
  if (claimed !== undefined) {
    const means = `${pluralize(claimed.recent, 'event')} since yesterday, taken from the log: ${CAUSES.claimed.words}`
    items.push(item('completeness', 'claimed', 'problem', means, CAUSES.claimed.remedy, { since: null }))
  }
  const marks = watermarks.filter(({ level }) => level === 'log')
  const unswept = marks.filter(({ until }) => until === NEVER)
  const [never] = unswept
  if (never !== undefined) {
    const kinds = pluralize(new Set(unswept.map(({ kind }) => kind)).size, 'kind')
    const means = `The event log of ${kinds} was never looked through, ${never.kind} among them: nobody knows whether anything of it is missing.`
    items.push(item('completeness', 'never scanned', 'note', means, SWEEP, { since: never.since }))
  }
  const [first] = marks.filter(({ until }) => until !== NEVER).sort((a, b) => a.until - b.until)
  if (first === undefined) return items
  const near = nearness(first.until, now)
  if (near !== 'far') {
    const means = `The event log proves nothing of ${first.kind} since then, and what it says ${near === 'passed' ? 'has expired by now' : 'expires before long'}.`
    const state = near === 'half' ? 'note' : 'problem'
    items.push(item('completeness', `log of ${first.kind}`, state, means, SWEEP, { since: first.until }))
  }
  return items.length > 0
    ? items
    : [okItem('completeness', 'complete', 'Everything that the event log tells of is here.')]
}

const SWEEP = 'tillbridge jobs history reconcile-log: repair what it names, then tillbridge jobs run reconcile-log.'

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
  const means = `The newest event is of ${formatInstant(newest)}, which is still to come: the clock was set back, or it was ahead.`
  const todo = 'timedatectl: see that NTP sets the clock. It is over with the next event that comes.'
  return [item('clock', 'newest', 'problem', means, todo)]
}

export function clockJumpHealth(jump: ClockJump | null, now: Instant): HealthItem[] {
  if (jump === null || now - jump.at > TOLD_FOR) return []
  const { at, by, whose } = jump
  const whoseClock = whose === 'database' ? "The database server's clock" : "This machine's clock"
  const way = by > 0 ? 'ahead' : 'back'
  const means = `${whoseClock} went ${Math.round(Math.abs(by) / 1_000).toLocaleString('en-GB')} s ${way} at ${formatInstant(at)}. ${by > 0 ? 'What was to be tried later went out early, if the clock was wrong.' : 'What is to be tried at an instant waits that much longer.'}`
  const todo = `timedatectl${whose === 'database' ? ' there' : ''}: see that NTP sets the clock; then tillbridge deliveries list --state waiting shows when each is due, and deliveries retry has one go out now.`
  return [item('clock', 'jump', Math.abs(by) < FAR ? 'note' : 'problem', means, todo, { since: at })]
}

/** `ahead`: this machine minus the storage (ms). */
export function clockHealth(ahead: number): HealthItem {
  const off = Math.abs(ahead)
  if (off < JUMP) return okItem('clock', 'clock', 'This machine and the store agree on the time.')
  const means = `This machine's clock is ${Math.round(off / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the store's. Signatures that carry a time may be refused.`
  const todo = 'timedatectl: let NTP set the clock of this machine, or of the database server.'
  return item('clock', 'clock', off < FAR ? 'note' : 'problem', means, todo)
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
  const judged = (state: HealthItem['state'], means: string, more: Partial<HealthItem> = {}) =>
    item('destination', name, state, means, null, more)
  if (!first.configured) {
    const pending = queues.reduce((sum, { waiting, held, dead }) => sum + waiting + held + dead, 0)
    const todo = `tillbridge deliveries move --from ${name} --to …, or put it back into the config.`
    const means = `Config does not have it any more, and ${deliveries(pending)} owed to it.`
    return judged('problem', means, { fault: 'gone', todo })
  }
  const isPaused = queues.every(({ paused }) => paused !== null)
  if (outage !== null && waiting > 0) {
    const isProblem = isDown(outage, now) && !isPaused
    const text = `Down: ${causeText(name, outage)}`
    return judged(isProblem ? 'problem' : 'note', text, inOutage(name, outage, isPaused))
  }
  // Nothing pending means no probe would ever find it well.
  if (outage !== null) return judged('ok', 'It was down when it was called last; nothing waits for it.', MET)
  if (failing !== null && waiting > 0) {
    const { since, calls, code, why } = failing
    const lasts = calls >= CALLS && now - since > OUTAGE_ALARM
    const last = calls === 1 ? 'call' : `${calls} calls`
    const text = `The last ${last} of a kind failed, and none got through since: ${causeText(name, failing)}`
    const more = { fault: 'outage', since, cause: { code, why: saidOf(name, why) }, todo: adviceOn(code).todo } as const
    return judged(lasts && !isPaused ? 'problem' : 'note', text, more)
  }
  if (callsPerSecond !== null)
    return judged('note', `It refuses more (429), so it is called ${callsPerSecond.toPrecision(2)} times a second.`)
  if (waiting > 0 && tookAt === null) return judged('ok', 'Nothing was sent to it yet.')
  return judged('ok', 'It takes what is sent.', MET)
}

const MET = { isMet: true } as const

function causeText(name: string, { code, why }: Pick<OpenCircuit, 'code' | 'why'>): string {
  const { means } = adviceOn(code)
  const refused = refusesKey(code) ? 'credentials refused: ' : ''
  return `${refused}${means} (${code}: ${saidOf(name, why)}).`
}

function saidOf(name: string, why: string): string {
  const bare = stripPrefix(name, why).replace(/\.$/, '')
  return bare.length > 120 ? `${bare.slice(0, 120)}…` : bare
}

function inOutage(name: string, { code, why, since, until }: OpenCircuit, isPaused: boolean): Partial<HealthItem> {
  const first = isPaused
    ? `nothing is tried while it is paused; tillbridge resume ${name} tries it.`
    : `tillbridge probe ${name} tries it now.`
  const todo = `${first} Else: ${adviceOn(code).todo}`
  return { fault: 'outage', since, cause: { code, why: saidOf(name, why) }, ...(!isPaused && { next: until }), todo }
}

function queueItems(queue: QueueSnapshot, now: Instant): HealthItem[] {
  const { name, urgency, waiting, held, dead, oldestWaiting, oldestHeld, paused } = queue
  const items: HealthItem[] = []
  const add = (state: HealthItem['state'], means: string, todo: string, more: Partial<HealthItem> = {}) =>
    items.push(item('queue', `${name} ${urgency}`, state, means, todo, more))
  if (paused !== null)
    add(
      'note',
      `${paused.why.slice(0, 1).toUpperCase()}${paused.why.slice(1)}: nothing is sent, ${waits(waiting)}.`,
      `tillbridge resume ${name} lets it go on.`,
      paused.until === null ? {} : { next: paused.until },
    )
  if (dead > 0)
    add(
      'problem',
      `${deliveries(dead)} dead: refused for good, or failing for three days.`,
      `tillbridge deliveries list --state dead --destination ${name}: repair the cause, then retry, or skip.`,
      { fault: 'dead' },
    )
  if (held > 0)
    add(
      'problem',
      `${deliveries(held)} held: only a person can decide, and what comes after in its line waits.`,
      `tillbridge deliveries list --state held --destination ${name}: then retry, release, or skip; --code selects all that are held for one cause.`,
      { fault: 'held', since: oldestHeld },
    )
  if (oldestWaiting !== null && now - oldestWaiting > OLD)
    add(
      'problem',
      `The oldest of ${waiting} that wait has waited for more than a day.`,
      `tillbridge deliveries list --state waiting --destination ${name} says why.`,
      { fault: 'waiting', since: oldestWaiting },
    )
  return items.length > 0
    ? items
    : [okItem('queue', `${name} ${urgency}`, waiting === 0 ? 'Empty.' : `${waits(waiting)}.`)]
}

function waits(count: number): string {
  if (count === 0) return 'and nothing waits'
  return pluralize(count, 'waits', 'wait')
}

function deliveries(count: number): string {
  return pluralize(count, 'delivery is', 'deliveries are')
}
