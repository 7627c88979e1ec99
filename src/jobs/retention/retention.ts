import { setTimeout as rest } from 'node:timers/promises'
import {
  type Archive,
  ArchiveError,
  clearUnfinished,
  createArchiveWriter,
  deleteArchived,
  expiredOf,
  isWritten,
  readManifest,
} from '../../archive/archive.ts'
import { JOBS } from '../../config/jobs.ts'
import { type Ages, ageOf, agesOf, RETAIN_REASONS, type RetainReason } from '../../domain/retention.ts'
import { RetryLaterError, StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import { type Instant, isInFuture, utcDay } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Acknowledged, AcknowledgedPage, DeletedPage, OldRecords, RetainedEvents } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { eventsOnLegalHold, lastBefore, MAX_GAPS, namedByGaps } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { readSchedule } from '../engine/schedule.ts'
import {
  createPace,
  forgetIfChanged,
  type Pruned,
  type Pruning,
  type RetentionState,
  readRetentionState,
  walkOld,
} from './ageing.ts'

interface Options {
  storage: Storage
  ages: Ages | null
  archive: Archive | null
  /** Free bytes on the disk of the storage. */
  room(): Promise<number | null>
  schedule?: string | undefined
  logger: Logger
}

/** Walks restart weekly: what had to stay may be settled (ms). */
const WEEK = 7 * 24 * 3_600_000

/** One a run. */
const SIZES = 30

export function retentionJob({ storage, ages, archive, room, schedule, logger }: Options): HubJob {
  const turns = readSchedule(schedule ?? JOBS.retention.schedule)

  /** Throws if the clock may be ahead, and an operator decides: what is pruned would not come back. */
  function refuseUnseen({ ranAt }: RetentionState, now: Instant): void {
    if (ranAt === 0 || now - turns.next(ranAt) <= LONG) return
    const [before, today] = [ranAt, now].map(utcDay)
    const why = `By this clock it is ${today}, and retention ran last on ${before}: nothing is pruned, since what goes does not come back where the clock is ahead. Look at it (timedatectl). If it is right, and the hub was off for so long, "tillbridge retention run" prunes, and the nights after it do.`
    throw new RetryLaterError(why, { code: 'clock-doubted' })
  }

  async function expire(now: Instant, signal: AbortSignal): Promise<number> {
    if (archive === null) return 0
    try {
      return await expireArchive(storage, archive, { now, signal })
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      throw tryAgain(error, 'Files that have expired stay there')
    }
  }

  /** Rewrites a SQLite file after an erasure; returns why not. */
  async function purge(free: number | null): Promise<RetryLaterError | null> {
    try {
      const isPurged = await storage.purgeDue(free)
      if (isPurged) logger.info({}, 'storage.rewritten')
      return isPurged === false ? new RetryLaterError(NOT_PURGED, { code: 'not-purged' }) : null
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error
      return new RetryLaterError(`${NOT_PURGED} ${error.message}`, { code: 'not-purged', cause: error })
    }
  }

  return {
    name: 'retention',
    async run({ now, asked, signal, state: before, save }) {
      const state = readRetentionState(before)
      if (!asked && ages !== null) refuseUnseen(state, now)
      // A clock that is behind until NTP has set it does not count.
      if (asked || !isInFuture(state.ranAt, now)) state.ranAt = now
      const size = await storage.size()
      const free = await room()
      state.sizes = [...state.sizes, { at: now, ...size, free }].slice(-SIZES)
      const notPurged = await purge(free)
      if (ages === null) {
        if (notPurged !== null) throw notPurged
        return { state, note: 'retention.enabled is false: nothing is pruned' }
      }
      if (now - state.restarted > WEEK || isInFuture(state.restarted, now)) {
        for (const name of Object.keys(state.upTo)) if (name.startsWith('events:')) state.upTo[name] = 0
        state.restarted = now
      }
      const pace = createPace({ rest, signal })
      const { pruned, notArchived, heldBack } = await prune({
        ...{ storage, ages, archive, now, state, pace, signal },
        saved: () => save(state),
      })
      if (notArchived !== null) {
        logger.info(pruned, 'retention.pruned')
        throw tryAgain(notArchived, 'Events and their payloads stay until they are archived')
      }
      const expired = await expire(now, signal)
      logger.info({ ...pruned, expired }, 'retention.pruned')
      if (heldBack !== null) throw heldBack
      if (notPurged !== null) throw notPurged
      const note = summaryOf(pruned)
      return { state, note: expired === 0 ? note : `${note}, ${pluralize(expired, 'file')} of the archive` }
    },
  }
}

const NOT_PURGED =
  'The file of the storage could not be rewritten, which an erasure left to the night: it needs twice its size of free room (once in the folder of temporary files, SQLITE_TMPDIR), and nobody who reads from it meanwhile. The next run tries again.'

/** Overdue by more than this, the clock is doubted (ms). */
const LONG = 30 * 24 * 3_600_000

/** The rest was done. */
function tryAgain(cause: ArchiveError, stays: string): RetryLaterError {
  const message = `${cause.message} ${stays}; all else was pruned, and the next run tries again.`
  return new RetryLaterError(message, { code: cause.code, cause })
}

function summaryOf(pruned: Pruned): string {
  const { events, payloads, deliveries, attempts, keys, records } = pruned
  const gone = [pluralize(events, 'event'), pluralize(payloads, 'payload'), `${deliveries} deliveries`]
  const more = [pluralize(attempts, 'attempt'), pluralize(keys, 'key'), pluralize(records, 'other record')]
  return `pruned ${[...gone, ...more].join(', ')}`
}

/** Prunes what is past its age, slice by slice. Without the archive, payloads and events stay. Rejects when aborted. */
export async function prune(
  pruning: Pruning,
): Promise<{ pruned: Pruned; notArchived: ArchiveError | null; heldBack: RetryLaterError | null }> {
  const { storage } = pruning
  const pruned: Pruned = { events: 0, deliveries: 0, attempts: 0, payloads: 0, keys: 0, records: 0 }
  const [newest] = await storage.events({ limit: 1 })
  const retained = await storage.retained(newest?.id ?? 0, MAX_RETAINED)
  const { upTo, events } = retained
  const named = await namedByGaps(storage)
  if (named === null)
    throw new UserError(
      `More than ${MAX_GAPS} gaps are open, and nothing is pruned before somebody has looked at them: "tillbridge gaps list".`,
    )
  const stays = named.union(new Set(events.map(({ event }) => event)))
  const notArchived = await prunePayloads(pruning, { stays, upTo }, pruned).then(
    () => null,
    (error: unknown) => {
      pruning.signal.throwIfAborted()
      if (error instanceof ArchiveError) return error
      throw error
    },
  )
  // An event takes its payload with it.
  if (notArchived === null) await pruneEvents(pruning, stays, upTo, pruned)
  await pruneRecords(pruning, pruned)
  await pruning.saved()
  while ((await pruning.pace.slice(() => storage.shrink(SHRUNK))) > 0 && !pruning.signal.aborted);
  return { pruned, notArchived, heldBack: await heldBackBy(pruning, retained) }
}

const SHRUNK = 64 * 8_192

async function pruneEvents(pruning: Pruning, stays: ReadonlySet<number>, upTo: number, pruned: Pruned) {
  const { storage, state, pace, saved } = pruning
  for await (const rows of walkOld({ ...pruning, part: 'events', upTo: state.upTo, last: upTo })) {
    const old = rows.filter(({ id }) => id <= upTo && !stays.has(id))
    if (old.length === 0) continue
    const ids = old.map(({ id }) => id)
    for await (const dropped of inSlices(pace, ids, (some) => storage.dropEvents(some))) {
      pruned.events += dropped.events
      pruned.deliveries += dropped.deliveries
      pruned.attempts += dropped.attempts
    }
    await saved()
  }
}

const LOOKED = 1_000

const REMEDY: Record<RetainReason, string> = {
  dead: 'tillbridge deliveries list --state dead',
  open: 'tillbridge status',
  rejected: 'tillbridge events list --state unrouted --no-dismissed',
  gap: 'tillbridge gaps list',
  hold: 'tillbridge retention holds',
}

/** Why nothing behind a place is pruned: more events must stay than one run can know. */
async function heldBackBy(
  { storage, ages, now }: Pick<Pruning, 'storage' | 'ages' | 'now'>,
  { upTo, events }: RetainedEvents,
): Promise<RetryLaterError | null> {
  const [next, ...more] = await storage.ageing(upTo, LOOKED)
  if (next === undefined) return null
  if (![next, ...more].some(({ kind, receivedAt }) => receivedAt < now - ageOf(ages, 'payloads', kind))) return null
  const counts = Map.groupBy(events, ({ why }) => why)
  const whys = [...counts].sort(([, a], [, b]) => b.length - a.length)
  const kept = whys.map(([why, of]) => `of ${pluralize(of.length, 'event')} ${RETAIN_REASONS[why]} (${REMEDY[why]})`)
  return new RetryLaterError(
    `Nothing behind event ${upTo} (${utcDay(next.receivedAt)}) is pruned: ${pluralize(events.length, 'event')} up to it must stay, and one run knows of no more. ${kept.join('; ')}. See to the most of them, and the next run goes on; what is before was pruned.`,
    { code: 'held-back' },
  )
}

export const MAX_RETAINED = 100_000

const PAGES = 50

/** Prunes payloads past their age, once their events are in the archive. Rejects with an ArchiveError before any is deleted. */
export async function prunePayloads(
  pruning: Pruning,
  { stays, upTo }: { stays: ReadonlySet<number>; upTo: number },
  pruned: Pruned,
): Promise<void> {
  const { storage, state, pace, ages, archive } = pruning
  forgetIfChanged(state, ages, archive?.where ?? null)
  const mayGo = (id: number) => id <= upTo && !stays.has(id)
  await keepingIn(pruning, (keeping) => keepOld(pruning, mayGo, upTo, keeping))
  const end = Math.min(upTo, Math.max(0, ...Object.values(state.bounds)))
  for (let after = 0; after < end; ) {
    const page = await storage.payloadKinds(after, PAGE)
    const old = page.filter(({ id, kind }) => id <= (state.bounds[kind] ?? 0) && mayGo(id))
    const ids = old.map(({ id }) => id)
    for await (const { dropped } of inSlices(pace, ids, (some) => storage.dropPayloads(some)))
      pruned.payloads += dropped
    after = page.length < PAGE ? end : (page.at(-1)?.id ?? end)
  }
}

/** Archives events whose payloads may go; the state advances only over what is archived, and never past `last`. */
async function keepOld(
  pruning: Pruning,
  mayGo: (id: number) => boolean,
  last: number,
  keeping: Keeping,
): Promise<void> {
  const { state, saved } = pruning
  const { upTo, bounds, stayed } = structuredClone(state)
  await keeping.add(stayed.filter(mayGo))
  const walked = { upTo, bounds, stayed: stayed.filter((id) => !mayGo(id)) }
  let pages = 0
  for await (const rows of walkOld({ ...pruning, part: 'payloads', upTo, last })) {
    if (pages > 0 && pages % PAGES === 0) {
      await keeping.end()
      Object.assign(state, structuredClone(walked))
      await saved()
    }
    pages += 1
    const ids = rows.map(({ id }) => id)
    await keeping.add(ids.filter(mayGo))
    walked.stayed.push(...ids.filter((id) => !mayGo(id)))
    for (const { kind, id } of rows) bounds[kind] = Math.max(id, bounds[kind] ?? 0)
  }
  await keeping.end()
  Object.assign(state, walked)
}

/** A pass over a hundred million keys takes a week. */
const KEYS = 500
const SLICES_A_NIGHT = 30_000

const PAGE = 1_000

/** Attempts, keys, lookups, the audit, the mirror and acknowledged versions. */
async function pruneRecords(pruning: Pruning, pruned: Pruned): Promise<void> {
  const { storage, ages, now, pace } = pruning
  const ofKinds = Object.keys(ages.kinds).map((kind) => [kind, now - ageOf(ages, 'attempts', kind)] as const)
  const kinds = Object.fromEntries(ofKinds)
  const before = now - Math.min(ages.events, ages.attempts)
  pruned.attempts += await inParts(0, (after) =>
    pace.slice((limit) => storage.dropAttempts({ after, limit, before, now, kinds })),
  )
  // All events up to there are past their age: what is left must stay.
  const oldest = pruning.state.upTo[`events:${agesOf(ages, 'events')[0]}`] ?? 0
  const lastOfKeys = now - Math.max(ages.keys, ages.events)
  pruned.records += await inParts(0, (after) =>
    pace.slice((limit) => storage.dropSubmissions({ after, limit, before: lastOfKeys, now })),
  )
  for (const which of oldRecords(pruning))
    for (let gone = -1; gone !== 0; pruned.records += gone)
      gone = await pace.slice((limit) => storage.dropRecords(which, limit))
  pruned.records += await pruneAcknowledged(pruning, oldest)
  await pruneKeys(pruning, pruned)
}

/** Drops acknowledged versions of entities without events: nothing older can come after them. */
async function pruneAcknowledged({ storage, pace }: Pruning, upTo: number): Promise<number> {
  const here = await entitiesUpTo(storage, upTo)
  let dropped = 0
  for (let after: Acknowledged | null = null, isOver = false; !isOver; ) {
    const page: AcknowledgedPage = await pace.slice(() => storage.acknowledgedUpTo(upTo, after, PAGE))
    const gone = page.rows.filter(({ subject }) => !here.has(subject))
    for await (const part of inSlices(pace, gone, (some) => storage.dropAcknowledged(some, upTo)))
      dropped += part.dropped
    after = page.next
    isOver = after === null
  }
  return dropped
}

async function entitiesUpTo(storage: Pick<Storage, 'ageing'>, upTo: number): Promise<Set<string>> {
  const entities = new Set<string>()
  for (let after = 0; after < upTo; ) {
    const events = await storage.ageing(after, PAGE)
    for (const { id, entity } of events) if (id <= upTo && entity !== null) entities.add(entity)
    after = events.length < PAGE ? upTo : (events.at(-1)?.id ?? upTo)
  }
  return entities
}

function* oldRecords({ ages, now }: Pruning): Generator<OldRecords> {
  yield { type: 'lookups', before: now - ages.lookups, now }
  yield { type: 'audit', before: now - ages.audit, now }
  for (const [set, age] of Object.entries(ages.mirror))
    yield { type: 'mirror', set: set as Extract<OldRecords, { type: 'mirror' }>['set'], before: utcDay(now - age) }
}

/** Walks a part of the keys, in order: those of dropped events older than `keys` go, and after a complete pass their identities, too. */
async function pruneKeys({ storage, state, ages, now, pace, saved }: Pruning, pruned: Pruned): Promise<void> {
  const bound = await lastBefore(storage, now - ages.keys)
  // The age may have been raised since the pass began.
  state.keysBound = state.keyAt === '' ? bound : Math.min(bound, state.keysBound)
  for (let slices = 0; slices < SLICES_A_NIGHT; slices++) {
    const { dropped, after } = await pace.slice(() => storage.dropKeys(state.keyAt, state.keysBound, KEYS))
    pruned.keys += dropped
    state.keyAt = after ?? ''
    if (slices % 100 === 99) await saved()
    if (after === null) break
  }
  if (state.keyAt !== '') return
  for (let gone = -1; gone !== 0; ) gone = await pace.slice((limit) => storage.dropKnown(state.keysBound, limit))
}

/** Each slice takes as many of what is left as it has time for (`seen`). */
async function* inSlices<T, Dropped extends { seen: number }>(
  pace: Pruning['pace'],
  all: readonly T[],
  drop: (some: readonly T[]) => Promise<Dropped>,
): AsyncGenerator<Dropped> {
  for (let done = 0; done < all.length; ) {
    const dropped = await pace.slice((most) => drop(all.slice(done, done + most)))
    done += dropped.seen
    yield dropped
  }
}

async function inParts<Place>(first: Place, part: (after: Place) => Promise<DeletedPage<Place>>): Promise<number> {
  let dropped = 0
  for (let after: Place | null = first; after !== null; ) {
    const result: DeletedPage<Place> = await part(after)
    dropped += result.dropped
    after = result.after
  }
  return dropped
}

interface Keeping {
  add(ids: readonly number[]): Promise<void>
  end(): Promise<void>
}

const NOWHERE: Keeping = { add: async () => {}, end: async () => {} }

/** Rejects with an ArchiveError. */
async function keepingIn<Result>(
  { archive, storage, state, signal }: Pick<Pruning, 'archive' | 'storage' | 'state' | 'signal'>,
  work: (keeping: Keeping) => Promise<Result>,
): Promise<Result> {
  if (archive === null) return await work(NOWHERE)
  return await archive.use(signal, async (files) => {
    await clearUnfinished(files)
    const writer = createArchiveWriter(files)
    const result = await work({
      async add(ids) {
        for (const id of ids) {
          signal.throwIfAborted()
          const event = await storage.event(id)
          // Without a body it was archived before, or had none.
          if (event?.body) await writer.add(event)
        }
      },
      end: writer.end,
    })
    if (await isWritten(files)) state.archive = archive.where
    return result
  })
}

/** Audited. Returns how many. */
async function expireArchive(
  storage: Pick<Storage, 'legalHolds' | 'noteAct'>,
  archive: Archive,
  { now, signal }: { now: Instant; signal: AbortSignal },
): Promise<number> {
  return await archive.use(signal, async (files) => {
    const gone = expiredOf(await readManifest(files), archive.keep, await eventsOnLegalHold(storage), now)
    if (gone.length === 0) return 0
    const names = gone.map(({ file }) => file)
    await storage.noteAct({
      at: now,
      by: 'job retention',
      action: 'archive expire',
      reason: 'retention.archive.keep',
      selection: { files: names.length, some: names.slice(0, 20) },
      changed: names.length,
    })
    await deleteArchived(files, gone)
    return names.length
  })
}
