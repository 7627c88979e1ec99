import { type QueueKey, queueName } from '../../domain/queue/queue-key.ts'
import { StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { notThere } from '../../domain/values/text.ts'
import { END, type StartThread, startThread } from '../../lib/thread.ts'
import { type Arrival, pack, type Verdict } from '../arrival.ts'
import { createOpening } from '../opening.ts'
import { createHoldVerbs, createVerbs } from '../operator-commands.ts'
import { createKeeping } from '../payloads/swaps.ts'
import { createRewriting } from '../personal-places.ts'
import { type Pause, toKeptRow } from '../rows.ts'
import { createFinding, hashedKeysOf } from '../search-index.ts'
import type { Storage } from '../storage.ts'
import { createPastMoving } from '../tables/past.ts'
import { statements, transactions } from '../tables/tables.ts'
import { createCheckpoints } from './file/checkpoints.ts'
import { runProcess } from './file/child.ts'
import { noDatabaseText } from './file/unavailable.ts'
import { createPipe, unwrap } from './queues/pipe.ts'
import type { Window } from './queues/queue.ts'
import { createQueues } from './queues/queues.ts'
import { createDirectory, createReader } from './reads/reader.ts'
import { createScrubbing } from './scrubbing.ts'

export interface SqliteOptions {
  path: string
  sameBytesWindow: number
  clock?: () => Instant
  window?: Window
  reopenEvery?: number
  onOpening?: (problem: string | null) => void
  allKeys?: boolean
  startThread?: StartThread
}

function isNoDatabase(error: unknown): boolean {
  return error instanceof StorageUnavailableError && error.code === 'SQLITE_NOTADB'
}

const KEYS_A_COMMIT = 400

const OF_TABLES = Object.keys({ ...statements, ...transactions }) as (
  | keyof typeof statements
  | keyof typeof transactions
)[]

const WINDOW: Window = { items: 2_000, bytes: 8 * 1024 * 1024 }

/**
 * One SQLite file, one process. A file that cannot be opened now is retried while methods reject with
 * StorageUnavailableError; UserError for what no waiting helps.
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const { path, sameBytesWindow, clock = Date.now, reopenEvery = 1_000, startThread: start = startThread } = options
  const thread = start(new URL('./writer-thread.ts', import.meta.url), { path, sameBytesWindow })
  const pipe = createPipe(thread, path, () => checkpoints.committed())
  const checkpoints = createCheckpoints({ writer: thread, pipe, path, startThread: start })
  const reader = createReader(path, start)
  const directory = createDirectory(path, start)
  const listeners = new Set<(queueKeys: QueueKey[]) => void>()
  const wake = (queueKeys: QueueKey[]) => {
    for (const listener of listeners) listener(queueKeys)
  }
  const queueKeys = createQueues(pipe, options.window ?? WINDOW, clock, wake)
  const pauses = new Map<string, Pause & { queueKey: QueueKey }>()
  async function openNow(): Promise<void> {
    const open = [{ method: 'open', args: [clock(), options.allKeys ?? false] }]
    const [upToDate] = await thread.run(open)
    if (!unwrap(upToDate, path)) {
      unwrap(await runProcess(new URL('./file/migrate-process.ts', import.meta.url), [path]), path)
      const [opened] = await thread.run(open)
      unwrap(opened, path)
    }
    for (const pause of await pipe.call('pauses', [])) pauses.set(queueName(pause.queueKey), pause)
  }

  const opening = createOpening({
    open: openNow,
    every: reopenEvery,
    onOpening: options.onOpening,
    opened: () => queueKeys.reset(),
    isHopeless: isNoDatabase,
  })
  const { whenOpen, whileOpen, allWhileOpen, ifOpen } = opening

  /** Before anything else is claimed: queues must not send what was changed. */
  function afresh(changed: number): number {
    if (changed > 0) queueKeys.reset()
    return changed
  }
  const verbs = createVerbs(reader, {
    ...pipe.methods('dismiss', 'explain', 'noteAct'),
    retry: (...given) => pipe.call('retry', given, afresh),
    skip: (...given) => pipe.call('skip', given, afresh),
    letGo: (...given) => pipe.call('letGo', given, afresh),
    move: (...given) => pipe.call('move', given, afresh),
  })
  const keeping = createKeeping(reader, (swap) => pipe.callWhenFree('swapPayloads', [swap]))
  const rewrite = createRewriting(keeping.rewritePayloads, (changes) => pipe.call('rewritePersonal', [changes]))
  const scrubbing = createScrubbing(thread, path, reader)

  const secretOf = async () => (await pipe.call('searchIndex', [])).secret
  const finding = createFinding(secretOf, reader)

  try {
    await opening.start()
  } catch (error) {
    await thread[Symbol.asyncDispose]()
    await reader[Symbol.asyncDispose]()
    throw isNoDatabase(error) ? new UserError(`${noDatabaseText(path)}.`, { cause: error }) : error
  }

  return {
    ...allWhileOpen(pipe.methods(...OF_TABLES)),
    ...allWhileOpen(reader),
    ...allWhileOpen(directory),
    ...allWhileOpen(verbs),
    ...allWhileOpen(keeping),
    ...allWhileOpen(finding),
    ...allWhileOpen(createHoldVerbs(reader, pipe.methods('hold', 'unhold', 'noteAct'))),
    ...allWhileOpen(pipe.methods('markIsolated', 'pending', 'seen', 'pendingBefore', 'size', 'forgetEvents')),
    ...allWhileOpen(pipe.methodsWhenFree('dropEvents', 'dropAttempts', 'dropKeys', 'dropKnown', 'dropSearchKeys')),
    ...allWhileOpen(pipe.methodsWhenFree('dropSubmissions', 'dropRecords', 'dropAcknowledged', 'shrink', 'unindexed')),

    async accept(arrivals: Arrival[]): Promise<Verdict[]> {
      whenOpen()
      const { packed, bodies } = pack(arrivals)
      const accepting = pipe.call(
        'accept',
        [packed, bodies, queueKeys.outFor(arrivals)],
        (results) => {
          queueKeys.accepted(arrivals, results)
          return results.map(({ verdict }) => verdict)
        },
        [bodies.buffer],
      )
      queueKeys.completing(arrivals, accepting)
      return await accepting
    },

    async claim(queueKey, room, lease) {
      whenOpen()
      const pause = pauses.get(queueName(queueKey))
      if (pause && (pause.until === null || pause.until > clock())) return { calls: [], wakeAt: pause.until }
      return await queueKeys.claim(queueKey, room, lease)
    },

    async settle(results) {
      whenOpen()
      const owned = queueKeys.settling(results)
      try {
        const json = JSON.stringify(queueKeys.withAtOnce(owned))
        const written = await pipe.call('settle', [json, clock(), queueKeys.digested(owned)], (applied) =>
          queueKeys.settled(owned, applied),
        )
        const applied = new Set(owned.filter((_, index) => written[index]))
        return results.map((result) => applied.delete(result))
      } catch (error) {
        queueKeys.notSettled(owned)
        throw error
      }
    },

    async returnClaims(fences) {
      await queueKeys.release(fences)
    },

    async pause(queueKey, pause) {
      whenOpen()
      await pipe.call('pause', [queueKey, pause], () => pauses.set(queueName(queueKey), { ...pause, queueKey }))
    },
    async resume(queueKey) {
      whenOpen()
      await pipe.call('resume', [queueKey], () => pauses.delete(queueName(queueKey)))
      wake([queueKey])
    },
    async paused() {
      return [...pauses.values()].filter(({ until }) => until === null || until > clock())
    },

    now: clock,

    onWork(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async enqueue(eventId, deliveries, act) {
      whenOpen()
      const event = await reader.event(eventId)
      if (!event) throw new UserError(notThere('event', eventId))
      const { body, headers: _headers, deliveries: _has, audit: _audit, ...row } = event
      const out = queueKeys.claimedLike(deliveries)
      const { ids } = await pipe.call('enqueue', [row, deliveries, clock(), out, act], (pending) => {
        queueKeys.pending(row, body ?? new Uint8Array(), deliveries, pending)
        return pending
      })
      return ids.filter((id) => id > 0).length
    },

    replacePayloads: whileOpen(async (changes) => afresh(await keeping.replacePayloads(changes))),
    movePast: whileOpen(createPastMoving(reader, (moves) => pipe.callWhenFree('movePast', [moves]))),

    async indexKeys(upTo, keys) {
      whenOpen()
      const hashed = await hashedKeysOf(await secretOf(), keys)
      for (let from = 0; from < hashed.length; from += KEYS_A_COMMIT)
        await pipe.callWhenFree('indexHashed', [0, hashed.slice(from, from + KEYS_A_COMMIT)])
      await pipe.callWhenFree('indexHashed', [upTo, []])
    },
    unindexEvents: whileOpen(async (events, keys) =>
      pipe.call('unindexHashed', [events, await finding.hashedKeys(keys)]),
    ),
    rewritePersonal: whileOpen(async (changes) => afresh(await rewrite(changes))),
    async searchRest(texts, places) {
      whenOpen()
      await pipe.drained()
      return await scrubbing.searchRest(texts, places)
    },
    async scrub(texts, places) {
      whenOpen()
      await pipe.drained()
      return await scrubbing.scrub(texts, places)
    },
    scrubSecrets: whileOpen((changes, ...secrets) => scrubbing.scrubSecrets(() => rewrite(changes), ...secrets)),
    purgeDue: whileOpen(scrubbing.purgeDue),

    known: whileOpen((those) =>
      pipe.call('known', [
        those.map(({ kind, origin, transportKey, identity, bodyHash }) => {
          return { kind, origin, transportKey, identity, bodyHash }
        }),
      ]),
    ),
    onStores() {},
    saveMirror: whileOpen((changes, now) => pipe.call('saveMirror', [JSON.stringify(changes), now])),
    mirrorRows: whileOpen(async (set, keys) => (await pipe.call('mirrorRows', [set, keys])).map(toKeptRow)),

    noteLookup: ifOpen((lookup) => pipe.call('noteLookup', [lookup])),

    async [Symbol.asyncDispose]() {
      opening.close()
      await pipe.drained()
      await checkpoints[Symbol.asyncDispose]()
      await reader[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
      // Last to close: only then is the WAL written into the file.
      await thread.run([{ method: END, args: [] }]).catch(() => undefined)
      await thread[Symbol.asyncDispose]()
    },
  }
}
