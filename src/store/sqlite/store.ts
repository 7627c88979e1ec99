import type { Link } from '../../domain/orders/link.ts'
import { type Lane, nameOfLane } from '../../domain/queue/lane.ts'
import { StoreUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { notThere } from '../../domain/values/text.ts'
import { END, type StartThread, startThread } from '../../lib/thread.ts'
import type { Arrival, Verdict } from '../arrival.ts'
import type { Pause } from '../kept.ts'
import { createOpening } from '../opening.ts'
import { pack } from '../packing.ts'
import { createPastMoving } from '../past/moving.ts'
import { createKeeping } from '../payloads/keeping.ts'
import { foundOf, hashedKey, hashedKeysOf } from '../search-key.ts'
import type { Store } from '../store.ts'
import { createVerbs } from '../verbs.ts'
import { createCheckpoints } from './file/checkpoints.ts'
import { migrateFile } from './file/migrating.ts'
import { noDatabaseText } from './file/unavailable.ts'
import { createKnownApiKeys } from './known-api-keys.ts'
import { createLanes } from './lanes/lanes.ts'
import { createPipe, unwrap } from './lanes/pipe.ts'
import type { Window } from './lanes/window.ts'
import { createPeople } from './people/people.ts'
import { createScrubbing } from './people/scrubbing.ts'
import { createDirectory } from './reads/directory.ts'
import { createReader } from './reads/reader.ts'
import { createRecords } from './records.ts'
import { createRetaining } from './retention/retaining.ts'

export interface SqliteOptions {
  path: string
  /** How long the same bytes are a copy where nothing else tells (milliseconds). */
  sameBytesWindow: number
  clock?: () => Instant
  /** How much of a lane is kept in memory. */
  window?: Window
  /** How often an unavailable file is tried again at start (milliseconds). */
  reopenEvery?: number
  /** Told once when the file cannot be opened, and once when it can. */
  onOpening?: (problem: string | null) => void
  /** All keys are to be in their table once it is open: it is about to be copied. */
  allKeys?: boolean
  /** How its threads are started. */
  startThread?: StartThread
}

/** No waiting makes it one. */
function isNoDatabase(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.code === 'SQLITE_NOTADB'
}

/** Keys of events that are indexed in one commit: nobody waits for more (2 ms). */
const KEYS_A_COMMIT = 400

const WINDOW: Window = { items: 2_000, bytes: 8 * 1024 * 1024 }

/**
 * The embedded store: one SQLite file, one process. If the file cannot be opened now (locked, read-only, no room), the
 * store is there all the same, refuses with StoreUnavailableError, and opens it as soon as it can.
 * Throws a UserError for what no waiting will mend (a file of a newer version, not a database).
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, sameBytesWindow, clock = Date.now, reopenEvery = 1_000, startThread: start = startThread } = options
  const thread = start(new URL('./writer-thread.ts', import.meta.url), { path, sameBytesWindow })
  const pipe = createPipe(thread, path, () => checkpoints.committed())
  const checkpoints = createCheckpoints({ writer: thread, pipe, path, startThread: start })
  const reader = createReader(path, start)
  const directory = createDirectory(path, start)
  const listeners = new Set<(lanes: Lane[]) => void>()
  const wake = (lanes: Lane[]) => {
    for (const listener of listeners) listener(lanes)
  }
  const lanes = createLanes(pipe, options.window ?? WINDOW, clock, wake)
  const keys = createKnownApiKeys(pipe)
  const pauses = new Map<string, Pause & { lane: Lane }>()
  async function openNow(): Promise<void> {
    const open = [{ method: 'open', args: [clock(), options.allKeys ?? false] }]
    const [upToDate] = await thread.run(open)
    if (!unwrap(upToDate, path)) {
      unwrap(await migrateFile(path), path)
      const [opened] = await thread.run(open)
      unwrap(opened, path)
    }
    for (const { until, why, ...lane } of await pipe.call('pauses', []))
      pauses.set(nameOfLane(lane), { lane, until, why })
    await keys.load()
  }

  const opening = createOpening({
    open: openNow,
    every: reopenEvery,
    onOpening: options.onOpening,
    opened: () => lanes.reset(),
    isHopeless: isNoDatabase,
  })
  const { whenOpen, whileOpen } = opening

  /** Before anything else is claimed: what a person took out, or had written anew, must not go out as it was. */
  function afresh(changed: number): number {
    if (changed > 0) lanes.reset()
    return changed
  }
  const verbs = createVerbs(reader, {
    retry: (...given) => pipe.call('retry', given, afresh),
    skip: (...given) => pipe.call('skip', given, afresh),
    letGo: (...given) => pipe.call('letGo', given, afresh),
    move: (...given) => pipe.call('move', given, afresh),
    dismiss: (...given) => pipe.call('dismiss', given),
    explain: (...given) => pipe.call('explain', given),
    noteAct: (...given) => pipe.call('noteAct', given),
  })

  const keeping = createKeeping(reader, (swap) => pipe.callWhenFree('swapPayloads', [swap]))

  try {
    await opening.start()
  } catch (error) {
    await thread[Symbol.asyncDispose]()
    await reader[Symbol.asyncDispose]()
    throw isNoDatabase(error) ? new UserError(`${noDatabaseText(path)}.`, { cause: error }) : error
  }

  return {
    async accept(arrivals: Arrival[]): Promise<Verdict[]> {
      whenOpen()
      const { packed, bodies } = pack(arrivals)
      const accepting = pipe.call(
        'accept',
        [packed, bodies, lanes.outFor(arrivals)],
        (results) => {
          lanes.accepted(arrivals, results)
          return results.map(({ verdict }) => verdict)
        },
        [bodies.buffer],
      )
      lanes.completing(arrivals, accepting)
      return await accepting
    },

    async claim(lane, room, lease) {
      whenOpen()
      const pause = pauses.get(nameOfLane(lane))
      if (pause && (pause.until === null || pause.until > clock())) return { calls: [], wakeAt: pause.until }
      return await lanes.claim(lane, room, lease)
    },

    async settle(results) {
      whenOpen()
      const owned = lanes.settling(results)
      try {
        const json = JSON.stringify(lanes.withAtOnce(owned))
        const written = await pipe.call('settle', [json, clock(), lanes.digested(owned)], (applied) =>
          lanes.settled(owned, applied),
        )
        const applied = new Set(owned.filter((_, index) => written[index]))
        return results.map((result) => applied.delete(result))
      } catch (error) {
        lanes.notSettled(owned)
        throw error
      }
    },

    async returnClaims(fences) {
      await lanes.release(fences)
    },

    async markIsolated(delivery, harmlessBefore) {
      whenOpen()
      await pipe.call('markIsolated', [delivery, harmlessBefore])
    },

    async pause(lane, pause) {
      whenOpen()
      await pipe.call('pause', [lane, pause], () => pauses.set(nameOfLane(lane), { ...pause, lane }))
    },
    async resume(lane) {
      whenOpen()
      await pipe.call('resume', [lane], () => pauses.delete(nameOfLane(lane)))
      wake([lane])
    },
    async paused() {
      return [...pauses.values()].filter(({ until }) => until === null || until > clock())
    },

    now: clock,

    onWork(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async owed() {
      whenOpen()
      return await pipe.call('owed', [])
    },

    async owe(eventId, deliveries, act) {
      whenOpen()
      const event = await reader.event(eventId)
      if (!event) throw new UserError(notThere('event', eventId))
      const { body, headers: _headers, deliveries: _has, audit: _audit, ...row } = event
      const out = lanes.claimedLike(deliveries)
      const { ids } = await pipe.call('owe', [row, deliveries, clock(), out, act], (owed) => {
        lanes.owed(row, body ?? new Uint8Array(), deliveries, owed)
        return owed
      })
      return ids.filter((id) => id > 0).length
    },

    retry: whileOpen(verbs.retry),
    skip: whileOpen(verbs.skip),
    releaseHeld: whileOpen(verbs.releaseHeld),
    move: whileOpen(verbs.move),
    dismiss: whileOpen(verbs.dismiss),
    explainGaps: whileOpen(verbs.explainGaps),

    packPayloads: whileOpen(keeping.packPayloads),
    replacePayloads: whileOpen(async (changes) => afresh(await keeping.replacePayloads(changes))),
    dropPayloads: whileOpen(keeping.dropPayloads),
    movePast: whileOpen(createPastMoving(reader, (moves) => pipe.callWhenFree('movePast', [moves]))),

    async noteAct(act, events, deliveries) {
      whenOpen()
      return await pipe.call('noteAct', [act, events, deliveries])
    },
    async extendAct(act, changed, events) {
      whenOpen()
      await pipe.call('extendAct', [act, changed, events])
    },

    // By the writer's thread: the one that reads for people is started by the first of them.
    async unindexed(room) {
      whenOpen()
      return await pipe.callWhenFree('unindexed', [room])
    },
    async indexKeys(upTo, keys) {
      whenOpen()
      const secret = await pipe.call('searchSecret', [])
      const hashed = await hashedKeysOf(secret, keys)
      for (let from = 0; from < hashed.length; from += KEYS_A_COMMIT)
        await pipe.callWhenFree('indexKeys', [0, hashed.slice(from, from + KEYS_A_COMMIT)])
      await pipe.callWhenFree('indexKeys', [upTo, []])
    },
    async packSearchKeys() {
      whenOpen()
      return await pipe.callWhenFree('packSearchKeys', [])
    },
    async find(keys, limit) {
      whenOpen()
      const secret = await pipe.call('searchSecret', [])
      const hashed = keys.map((key) => hashedKey(secret, key))
      return foundOf(secret, keys, await reader.foundBy(hashed, limit))
    },

    ...createPeople({ pipe, reader, opening, keeping, scrubbing: createScrubbing(thread, path, reader), afresh }),

    async links(destination, kind, ids): Promise<Link[]> {
      whenOpen()
      return await reader.links(destination, kind, ids)
    },

    async linksTo(destinations, kind, theirIds): Promise<Link[]> {
      whenOpen()
      return await reader.linksTo(destinations, kind, theirIds)
    },

    async effectsOf(state, beginning) {
      whenOpen()
      return await reader.effectsOf(state, beginning)
    },

    async areOwed(destination, flows) {
      whenOpen()
      return await reader.areOwed(destination, flows)
    },

    async endSubmission(id, end) {
      whenOpen()
      await pipe.call('endSubmission', [id, end])
    },

    async seen(origin, transportKeys) {
      whenOpen()
      return await pipe.call('seen', [origin, transportKeys], (seen) => new Set(seen))
    },
    async owedBefore(steps) {
      whenOpen()
      return await pipe.call('owedBefore', [steps])
    },
    async known(those) {
      whenOpen()
      return await pipe.call('known', [
        those.map(({ kind, origin, transportKey, identity, bodyHash }) => ({
          kind,
          origin,
          transportKey,
          identity,
          bodyHash,
        })),
      ])
    },

    ...createRecords({ pipe, keys, reader, directory, opening }),
    ...createRetaining({ pipe, reader, opening }),

    async noteLookup(lookup) {
      if (!opening.isOpen()) return
      try {
        await pipe.call('noteLookup', [lookup])
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
      }
    },

    async check() {
      whenOpen()
      await pipe.call('check', [])
    },

    events: whileOpen(reader.events),
    lookForEvents: whileOpen(reader.lookForEvents),
    event: whileOpen(reader.event),
    deliveries: whileOpen(reader.deliveries),
    lookForDeliveries: whileOpen(reader.lookForDeliveries),
    delivery: whileOpen(reader.delivery),
    owedByFlow: whileOpen(reader.owedByFlow),
    levelStanding: whileOpen(reader.levelStanding),
    status: whileOpen(reader.status),
    submission: whileOpen(reader.submission),
    submissionItems: whileOpen(reader.submissionItems),
    order: whileOpen(reader.order),
    overdue: whileOpen(reader.overdue),
    acts: whileOpen(reader.acts),
    act: whileOpen(reader.act),
    searchReach: whileOpen(reader.searchReach),
    jobRuns: whileOpen(reader.jobRuns),

    async [Symbol.asyncDispose]() {
      opening.close()
      await pipe.drained()
      await checkpoints[Symbol.asyncDispose]()
      await reader[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
      // The last that lets go of the file: it alone writes what is in the WAL into it.
      await thread.run([{ method: END, args: [] }]).catch(() => undefined)
      await thread[Symbol.asyncDispose]()
    },
  }
}
