import { queueName } from '../../domain/queue/queue-key.ts'
import { StorageUnavailableError, UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { folded, notFoundText } from '../../domain/values/text.ts'
import { END, type StartThread, startThread, type Thread } from '../../lib/thread.ts'
import { pack } from '../accepting.ts'
import type { Arrival, Verdict } from '../arrival.ts'
import { createOpening } from '../opening.ts'
import { createOperatorCommands } from '../operator-commands.ts'
import { createCompressing } from '../payload.ts'
import {
  type Pages,
  type PersonalChange,
  type PersonalTableName,
  type Scrubbed,
  searchRows,
} from '../personal-places.ts'
import { WINDOW, type Window } from '../queue/queue.ts'
import { type Accepted, createQueues } from '../queue/queues.ts'
import { isInForce, toStoredMirrorRow } from '../rows.ts'
import { createSearch } from '../search-index.ts'
import type { Storage } from '../storage.ts'
import { statements, transactions } from '../tables/tables.ts'
import { runProcess } from './file/child.ts'
import type { ByteFinds } from './file/process.ts'
import { noDatabaseText } from './file/unavailable.ts'
import { ask, createCheckpoints, createPipe, createQueueStorage, unwrap } from './pipe.ts'
import { createDirectory, createReader } from './reads.ts'

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

const OF_TABLES = Object.keys({ ...statements, ...transactions }) as (
  | keyof typeof statements
  | keyof typeof transactions
)[]

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
  const queues = createQueues(createQueueStorage(pipe, clock), options.window ?? WINDOW, clock)
  const { pauses } = queues
  async function openNow(): Promise<void> {
    const openFile = () => ask<boolean>(thread, path, 'open', [clock(), options.allKeys ?? false])
    if (!(await openFile())) {
      unwrap(await runProcess('migrate', [path]), path)
      await openFile()
    }
    for (const pause of await pipe.call('pauses', [])) pauses.set(queueName(pause.queueKey), pause)
  }

  const opening = createOpening({
    open: openNow,
    every: reopenEvery,
    onOpening: options.onOpening,
    opened: () => queues.reset(),
    isHopeless: isNoDatabase,
  })

  /** Before anything else is claimed: queues must not send what was changed. */
  function afresh(changed: number): number {
    if (changed > 0) queues.reset()
    return changed
  }
  const verbs = createOperatorCommands(reader, {
    ...pipe.methods('dismiss', 'explain', 'noteAct', 'hold', 'unhold'),
    retryThose: (...given) => pipe.call('retryThose', given, afresh),
    skipThose: (...given) => pipe.call('skipThose', given, afresh),
    releaseThose: (...given) => pipe.call('releaseThose', given, afresh),
    moveThose: (...given) => pipe.call('moveThose', given, afresh),
  })
  const rewrite = (changes: readonly PersonalChange[]) => pipe.call('rewriteRows', [changes])
  const scrubbing = createScrubbing({ thread, path, pages: reader, drained: pipe.drained, rewrite })

  const search = createSearch({
    ...pipe.methods('searchIndex', 'unindexHashed'),
    ...pipe.methodsWhenFree('indexHashed'),
    foundBy: reader.foundBy,
  })

  try {
    await opening.start()
  } catch (error) {
    await thread[Symbol.asyncDispose]()
    await reader[Symbol.asyncDispose]()
    throw isNoDatabase(error) ? new UserError(`${noDatabaseText(path)}.`, { cause: error }) : error
  }

  const methods = {
    ...pipe.methods(...OF_TABLES),
    ...reader,
    ...directory,
    ...verbs,
    ...search,
    ...pipe.methods('seen', 'size', 'forgetEvents'),
    ...pipe.methodsWhenFree('dropEvents', 'dropPayloads', 'dropAttempts', 'dropKeys', 'dropKnown'),
    ...pipe.methodsWhenFree('dropSubmissions', 'dropRecords', 'dropAcknowledged', 'shrink', 'unindexed'),

    async accept(arrivals: Arrival[]): Promise<Verdict[]> {
      const { packed, bodies } = pack(arrivals)
      const accepting = pipe.call(
        'accept',
        [packed, bodies],
        (results: Accepted[]) => queues.accepted(arrivals, results),
        [bodies.buffer],
      )
      if (arrivals.some(({ completes }) => completes)) queues.completing(arrivals, accepting)
      return await accepting
    },

    claim: queues.claim,
    settle: queues.settle,

    async pause(queueKey, pause) {
      await pipe.call('pause', [queueKey, pause], () => pauses.set(queueName(queueKey), { ...pause, queueKey }))
    },
    async resume(queueKey) {
      await pipe.call('resume', [queueKey], () => pauses.delete(queueName(queueKey)))
      queues.wake([queueKey])
    },
    async paused() {
      return [...pauses.values()].filter((pause) => isInForce(pause, clock()))
    },

    async enqueue(eventId, deliveries, act) {
      const event = await reader.event(eventId)
      if (!event) throw new UserError(notFoundText('event', eventId))
      const { body, headers: _headers, deliveries: _has, audit: _audit, ...row } = event
      const { ids } = await pipe.call('enqueue', [row, deliveries, clock(), act], (pending) => {
        queues.pending(row, body ?? new Uint8Array(), deliveries, pending)
        return pending
      })
      return ids.filter((id) => id > 0).length
    },

    compressPayloads: createCompressing(reader, (rows) => pipe.callWhenFree('writeCompressed', [rows])),

    rewritePersonal: async (changes) => afresh(await rewrite(changes)),
    ...scrubbing,

    known: (those) =>
      pipe.call('known', [
        those.map(({ kind, origin, transportKey, identity, bodyHash }) => {
          return { kind, origin, transportKey, identity, bodyHash }
        }),
      ]),
    saveMirror: (changes, now) => pipe.call('saveMirror', [JSON.stringify(changes), now]),
    mirrorRows: async (set, keys) => (await pipe.call('mirrorRows', [set, keys])).map(toStoredMirrorRow),
  } satisfies Partial<Storage>

  return {
    ...opening.whileOpen(methods),
    noteLookup: opening.ifOpen((lookup) => pipe.call('noteLookup', [lookup])),
    returnClaims: (fences) => queues.release(fences),

    now: clock,
    onWork: queues.onWork,
    onStores() {},

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

/** VACUUM at once up to this size (bytes): writes wait (docs/adr/0019-a-person-erased.md). */
const SMALL = 64 * 1024 * 1024
const COPIES = 2

const REST = 50
const TRIES = 40

const NOT_PROMISED =
  'What the disk itself keeps of overwritten bytes (its own copies, snapshots of the file system) is not the store’s to answer for.'

const TONIGHT =
  'The bytes in which something was found may be of no row any more. They go when the job retention rewrites the file tonight; "tillbridge retention run" does it at once (webhooks wait meanwhile).'

interface Scrubbing {
  thread: Thread
  path: string
  pages: Pages
  drained(): Promise<void>
  rewrite(changes: readonly PersonalChange[]): Promise<unknown>
}

/** Searches rows and bytes for remains of a data subject, and rewrites the file. */
function createScrubbing({
  thread,
  path,
  pages,
  drained,
  rewrite,
}: Scrubbing): Pick<Storage, 'searchRest' | 'scrub' | 'scrubSecrets' | 'purgeDue'> {
  return {
    searchRest: async (texts, places) => (await search(texts, places)).rest,
    scrub,

    async scrubSecrets(changes, secrets, place) {
      const wasDue = await askWriter<boolean>('purge-due')
      await askWriter('note-purge', 1)
      await rewrite(changes)
      const scrubbed = await scrub(secrets, [place])
      if (!wasDue && scrubbed.found === 0) await askWriter('note-purge', 0)
      return scrubbed
    },

    async purgeDue(room) {
      if (!(await askWriter<boolean>('purge-due'))) return null
      return await purge(room === null ? Number.MAX_SAFE_INTEGER : room / COPIES)
    },
  }

  async function scrub(texts: readonly string[], places?: readonly PersonalTableName[]): Promise<Scrubbed> {
    const { rest, inBytes } = await search(texts, places)
    if (inBytes === 0) return rest
    if (!(await purge(SMALL))) return { ...rest, warnings: [...rest.warnings, TONIGHT] }
    const again = await searchBytes(texts)
    return { ...rest, found: rest.found - inBytes + again.found }
  }

  /** Only payloads are compressed; other rows are found in the bytes. */
  async function search(texts: readonly string[], places?: readonly PersonalTableName[]) {
    await drained()
    const isEmpty = await emptied()
    const [bytes, payloads] = await Promise.all([
      searchBytes(texts),
      searchRows(pages, places === undefined ? ['payloads'] : [], texts),
    ])
    const warnings = [NOT_PROMISED, ...payloads.warnings]
    if (!isEmpty) warnings.push('The WAL could not be emptied: somebody reads from it. Run the command again.')
    const searched = [...bytes.searched, ...payloads.searched]
    return { rest: { searched, found: bytes.found + payloads.found, warnings }, inBytes: bytes.found }
  }

  async function searchBytes(texts: readonly string[]): Promise<Pick<Scrubbed, 'searched' | 'found'>> {
    const all = [...new Set(texts.map(folded))]
    const longest = all.filter((text) => !all.some((other) => isWithin(other, text)))
    const result = await runProcess('search', [path, longest])
    if ('error' in result) throw new Error(result.error.message)
    const finds = result.value as ByteFinds[]
    return {
      searched: finds.map(({ what, bytes }) => ({ what, bytes })),
      found: finds.reduce((sum, { found }) => sum + found, 0),
    }
  }

  async function purge(most: number): Promise<boolean> {
    if (!((await askWriter<boolean>('purge', most)) && (await emptied()))) return false
    await askWriter('note-purge', 0)
    return true
  }

  async function emptied(): Promise<boolean> {
    for (let tried = 0; tried < TRIES; tried++) {
      if (await askWriter<boolean>('empty-wal')) return true
      await new Promise((resolve) => setTimeout(resolve, REST))
    }
    return false
  }

  function askWriter<T>(method: string, ...args: unknown[]): Promise<T> {
    return ask(thread, path, method, args)
  }
}

/** Digits alone are searched as a number of their own. */
function isWithin(shorter: string, text: string): boolean {
  return shorter.length < text.length && text.includes(shorter) && !/^\d+$/.test(shorter)
}
