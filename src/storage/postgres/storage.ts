import { queueName } from '../../domain/queue/queue-key.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { createKeyLookup, erasedKeyOf } from '../accepting.ts'
import type { Arrival, Verdict } from '../arrival.ts'
import { createOpening } from '../opening.ts'
import { createOperatorCommands } from '../operator-commands.ts'
import { createCompressing } from '../payload.ts'
import {
  type Pages,
  PERSONAL_TABLE_NAMES,
  type PersonalTableName,
  type Scrubbed,
  searchRows,
} from '../personal-places.ts'
import { WINDOW, type Window } from '../queue/queue.ts'
import { createQueues } from '../queue/queues.ts'
import type { Reading } from '../read-models/reading.ts'
import { isInForce, type JobClaim, type JobStart, toStoredMirrorRow } from '../rows.ts'
import { createSearch, readToIndex } from '../search-index.ts'
import type { Storage } from '../storage.ts'
import { touchDeliveries } from '../tables/audit.ts'
import { lockEntities } from '../tables/enqueuing.ts'
import { notes } from '../tables/notes.ts'
import { readAnew, type Steps } from '../tables/statement.ts'
import { statements, transactions } from '../tables/tables.ts'
import { type Accepting, createAccepting, createThreadAccepting, setRouted, THREAD_CONNECTIONS } from './accepting.ts'
import { enqueue, lockEvent } from './enqueuing.ts'
import { createMembership } from './hubs.ts'
import { keyStore } from './keys.ts'
import { createQueueStorage } from './queue-storage.ts'
import { createPostgresReading, createSnapshots } from './reading.ts'
import { readAddress } from './server/address.ts'
import { alone, type Database, inTransactions, perform, prepared } from './server/database.ts'
import { letSequencesGoOn, migrateSchema } from './server/migrate.ts'
import { createAnnouncing, createNotices } from './server/notices.ts'
import { createConnections, createPool } from './server/pool.ts'

interface PostgresOptions {
  url: string
  sameBytesWindow: number
  connections?: number
  onOpening?: (problem: string | null) => void
  /** How often a hub beats, and looks for what no notice told of (ms). 0: before each claim. */
  lookEvery?: number
  /** After it without a beat, a hub is presumed dead (ms). */
  lease?: number
}

/** In tests the server may be in the process. */
export interface Parts extends Omit<PostgresOptions, 'url' | 'connections'> {
  db: Database
  reading: Reading
  migrate(): Promise<void>
  channel: string
  accepting?: Accepting
  reopenEvery?: number
  /** In tests; by itself the server's time. */
  clock?: () => Instant
  window?: Window
}

const LEASE = 10_000

const CONNECTIONS = 10
/** Reserved for operators' reads. */
const READERS = 2
const SMALL = 5

const ANNOUNCED = 20
const BEATS_A_SYNC = 10

/**
 * Several hubs on one schema. An unreachable server is retried while methods reject with StorageUnavailableError; throws
 * what no waiting helps.
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { url, connections = CONNECTIONS, sameBytesWindow, onOpening, lease, lookEvery } = options
  const address = readAddress(url)
  await using opened = new AsyncDisposableStack()
  // Neither reads nor webhooks nor deliveries may block each other.
  const readers = connections > READERS ? READERS : 0
  const rejected = connections > SMALL ? opened.use(createThreadAccepting(address, sameBytesWindow)) : null
  const pool = createConnections(address, connections - readers - (rejected ? THREAD_CONNECTIONS : 0))
  const ofReaders = readers === 0 ? pool : createConnections(address, readers)
  if (readers > 0) opened.defer(() => ofReaders.end())
  const storage = await createPostgresStorage({
    db: createPool(pool, address),
    reading: createPostgresReading(createSnapshots(ofReaders, address)),
    migrate: () => migrateSchema(address),
    channel: `tillbridge_${address.schema}`,
    sameBytesWindow,
    ...(onOpening && { onOpening }),
    ...(lease && { lease }),
    ...(lookEvery && { lookEvery }),
    ...(rejected && { accepting: rejected }),
  })
  const kept = opened.move()
  kept.use(storage)
  return { ...storage, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

export async function createPostgresStorage(parts: Parts): Promise<Storage> {
  const { db, reading, migrate, channel, sameBytesWindow, onOpening } = parts
  const { reopenEvery = 1_000, lookEvery = 1_000, lease = LEASE } = parts
  const serverClock = createServerClock(db)
  const clock = parts.clock ?? serverClock.now
  const storeListeners: (() => void)[] = []
  const single = alone(db, statements)
  const whole = inTransactions(db, transactions)
  let lookedAt = Number.NEGATIVE_INFINITY

  const hub = createMembership({
    db,
    lease,
    tell: () => notices.tell('hubs'),
    shared: () => queues.reset(),
    lost: () => queues.abandon(),
    drained: (partitions) => queues.drained(partitions),
  })
  const working = createQueueStorage({
    db,
    hub,
    heard: serverClock.heard,
    async changed() {
      const pauses = await single.pauses()
      queues.pauses.clear()
      for (const pause of pauses) queues.pauses.set(queueName(pause.queueKey), pause)
      queues.reset()
    },
    fenced: () => hub.tick(),
    isPaused: (queueKey) => isInForce(queues.pauses.get(queueName(queueKey)), clock()),
  })
  const queues = createQueues(working.storage, parts.window ?? WINDOW, clock)

  const opening = createOpening({
    async open() {
      await migrate()
      await letSequencesGoOn(db)
      await serverClock.sync()
    },
    every: reopenEvery,
    onOpening,
    opened: () => queues.reset(),
  })
  await using opened = new AsyncDisposableStack()
  opened.use(db)
  await opening.start()

  async function look(): Promise<void> {
    lookedAt = performance.now()
    let hasLooked = false
    try {
      hasLooked = await working.look(queues)
    } finally {
      if (!hasLooked) written()
    }
  }
  const soon = (work: () => Promise<void>) => () => void work().catch(() => undefined)

  const notices = opened.use(
    createNotices(db, channel, {
      work: soon(look),
      hubs: soon(hub.tick),
      stores() {
        for (const listener of storeListeners) listener()
      },
      lost: soon(look),
    }),
  )
  let beats = 0
  const beating = setInterval(
    soon(async () => {
      beats += 1
      if (beats % BEATS_A_SYNC === 0) await serverClock.sync()
      await hub.tick()
      // They look when they claim; a hub whose own clock is wrong is not late for what is due.
      queues.wakeAll()
    }),
    lookEvery || 1_000,
  )
  beating.unref()
  opened.defer(() => clearInterval(beating))
  opened.defer(() => hub.leave().catch(() => undefined))

  /** What this hub wrote is found by its next claim, and by others' looks. */
  function written(): void {
    lookedAt = Number.NEGATIVE_INFINITY
  }
  async function changedByOperator(): Promise<void> {
    written()
    queues.reset()
    await notices.tell('work')
  }

  // Not in the transaction: NOTIFY serializes commits.
  const announce = opened.use(
    createAnnouncing((queueKeys) => {
      queues.wake(queueKeys)
      void notices.tell('work').catch(() => undefined)
    }, ANNOUNCED),
  )
  const grown = createGrowing(db)
  const accepting = parts.accepting ?? createAccepting(db, sameBytesWindow)
  async function accept(arrivals: Arrival[]): Promise<Verdict[]> {
    if (arrivals.length === 0) return []
    const verdicts = await accepting.accept(arrivals)
    written()
    announce(arrivals.flatMap(({ deliveries }) => deliveries))
    grown(arrivals.length)
    return verdicts
  }

  const verbs = createOperatorCommands(reading, whole, changedByOperator)
  const scrub = createScrubbing(db, reading)

  async function pausing(steps: Steps<void>): Promise<void> {
    await db.transaction(async (session) => {
      await perform(session, steps)
      await perform(session, readAnew())
    })
    await changedByOperator()
  }
  const open = opened.move()

  const methods = {
    ...reading,
    ...single,
    ...whole,
    ...verbs,
    ...alone(db, createKeyLookup(keyStore)),
    ...createSearch({ ...whole, foundBy: reading.foundBy }),
    unindexed: createUnindexed(db, whole.searchIndex),

    accept,
    async claim(queueKey, room, leaseFor) {
      await hub.join()
      if (!hub.isAlive()) return { calls: [], wakeAt: null }
      if (performance.now() - lookedAt >= lookEvery) await look()
      return await queues.claim(queueKey, room, leaseFor)
    },
    settle: queues.settle,
    returnClaims: queues.release,
    paused: single.pauses,
    pause: (...given) => pausing(notes.pause(...given)),
    async resume(queueKey) {
      await pausing(notes.resume(queueKey))
      queues.wake([queueKey])
    },

    async enqueue(eventId, deliveries, act) {
      const ids = await db.transaction(async (session) => {
        await perform(session, lockEntities(deliveries))
        const event = await lockEvent(session, eventId)
        const pending = await enqueue(
          session,
          deliveries.map((step) => ({ event, step })),
        )
        const added = pending.filter((id) => id > 0)
        if (added.length > 0) await session.query(setRouted, [[eventId]])
        if (act !== undefined) await perform(session, touchDeliveries(act, added))
        return pending
      })
      written()
      queues.wake(deliveries)
      await notices.tell('work')
      return ids.filter((id) => id > 0).length
    },

    compressPayloads: createCompressing(reading, whole.writeCompressed),

    async forgetEvents(events) {
      await perform(db, keyStore.add(new Map(events.map((event) => [erasedKeyOf(event), event]))))
    },
    async rewritePersonal(changes) {
      const changed = await whole.rewriteRows(changes)
      if (changed > 0) await changedByOperator()
      return changed
    },
    searchRest: scrub,
    scrub,
    async scrubSecrets(changes, secrets, place) {
      await whole.rewriteRows(changes)
      return await scrub(secrets, [place])
    },

    mirrorRows: async (set, keys) => (await single.mirrorRows(set, keys)).map(toStoredMirrorRow),
    beginJob: createJobBeginning(db, whole.beginJob),
    async saveStores(records, now) {
      await whole.saveStores(records, now)
      await notices.tell('stores')
    },

    check: (size) => (size === undefined ? single.check() : accepting.tryOne(size)),
    size: async () => ({ bytes: (await db.query(sizeOfTables))[0]?.bytes ?? 0, reusable: 0 }),
  } satisfies Partial<Storage>

  return {
    ...opening.whileOpen(methods),
    noteLookup: opening.ifOpen(single.noteLookup),

    now: clock,
    onWork: queues.onWork,
    onStores(listener) {
      storeListeners.push(listener)
    },

    purgeDue: async () => null,
    /** Autovacuum reuses space but does not shrink files. */
    shrink: async () => 0,

    async [Symbol.asyncDispose]() {
      opening.close()
      queues[Symbol.dispose]()
      await open.disposeAsync()
    },
  }
}

const sizeOfTables = prepared<{ bytes: number }>(`
  select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`)
const drawFence = prepared<{ fence: number }>(`select nextval('fences') as fence`)

/** A begin without answer may have been written: the retry uses its fence. */
function createJobBeginning(
  db: Database,
  begin: (name: string, start: JobStart, fence: number) => Promise<JobClaim | null>,
): Storage['beginJob'] {
  const unanswered = new Map<string, number>()
  return async (name, start) => {
    const fence = unanswered.get(name) ?? (await db.query(drawFence))[0]?.fence ?? 0
    unanswered.delete(name)
    try {
      return await begin(name, start, fence)
    } catch (error) {
      unanswered.set(name, fence)
      throw error
    }
  }
}

const analyze = prepared('analyze events, payloads, keys, deliveries, attempts')
/** Event counts at which plans made for an empty schema are bad. */
const AT = [1_000, 8_000, 64_000]

/** ANALYZE while tables grow fast: autovacuum does so once a minute, and named statements keep old plans. */
function createGrowing(db: Database): (more: number) => void {
  const steps = [...AT]
  let taken = 0

  return (more) => {
    taken += more
    if (steps[0] === undefined || taken < steps[0]) return
    steps.shift()
    void db.query(analyze).catch(() => undefined)
  }
}

const ask = prepared<{ now: Instant }>('select now_ms() as now')
const OFF = 5_000

/**
 * The server's time by the monotonic clock, so local clock changes do not matter; this machine's until the first
 * answer.
 */
function createServerClock(db: Database) {
  let ahead = Date.now() - performance.now()
  const now = (): Instant => Math.round(performance.now() + ahead)

  async function sync(): Promise<void> {
    const asked = performance.now()
    const [answer] = await db.query(ask)
    const answered = performance.now()
    if (answer) ahead = answer.now - (asked + answered) / 2
  }

  return {
    now,
    sync,

    heard(said: Instant): void {
      if (Math.abs(said - now()) > OFF) void sync().catch(() => undefined)
    },
  }
}

const measured = prepared<{ what: string; bytes: number }>(
  'select t as what, pg_total_relation_size(t::regclass) as bytes from unnest($1::text[]) as t',
)

const NOT_PROMISED = [
  'The server’s WAL files, archives of them and replicas have the old rows until they are recycled.',
  'After VACUUM the room is used for new rows; bytes of old ones stay in it until they are written over. "VACUUM FULL" by hand writes the tables anew.',
]

/** Vacuums tables and searches rows; the server's files cannot be read. */
export function createScrubbing(db: Pick<Database, 'vacuum' | 'query'>, pages: Pages) {
  return async (
    texts: readonly string[],
    places: readonly PersonalTableName[] = PERSONAL_TABLE_NAMES,
  ): Promise<Scrubbed> => {
    const isAll = places === PERSONAL_TABLE_NAMES
    const failed = await db.vacuum([...places, ...(isAll ? ['search_keys'] : [])])
    const sizes = await db.query(measured, [[...places]])
    const rows = await searchRows(pages, places, texts)
    return {
      searched: [...sizes.map(({ what, bytes }) => ({ what, bytes: Number(bytes) })), ...rows.searched],
      found: rows.found,
      warnings: [...NOT_PROMISED, ...failed.map(notVacuumed), ...rows.warnings],
    }
  }
}

function notVacuumed({ table, error }: { table: string; error: unknown }): string {
  return `${table} could not be vacuumed (${error instanceof Error ? error.message : error}): do it by hand.`
}

/**
 * The newest event, and open transactions that have drawn event ids (they lock the sequence): they may still commit
 * lower ids.
 */
const look = prepared<{ last: number; open: string[] }>(`
  select (select coalesce(max(id), 0) from events) as last, array(
    select l.virtualtransaction from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'relation' and l.relation = 'event_ids'::regclass and l.mode = 'RowExclusiveLock' and l.granted
        and a.datname = current_database() and l.pid <> pg_backend_pid()) as open`)

/**
 * Ids are drawn before commits: an event is indexed only when all transactions that had drawn ids by then have ended.
 */
function createUnindexed(db: Database, searchIndex: () => Promise<{ upTo: number }>): Storage['unindexed'] {
  let settled = 0
  let waiting: { last: number; open: ReadonlySet<string> } | null = null

  async function lookAgain(): Promise<void> {
    const [seen] = await db.query(look)
    if (!seen) return
    if (waiting && !seen.open.some((one) => waiting?.open.has(one))) {
      settled = waiting.last
      waiting = null
    }
    if (seen.open.length === 0) settled = seen.last
    else waiting ??= { last: seen.last, open: new Set(seen.open) }
  }

  return async (room) => {
    const { upTo } = await searchIndex()
    if (upTo >= settled) await lookAgain()
    return upTo >= settled ? [] : await perform(db, readToIndex(upTo, settled, room))
  }
}
