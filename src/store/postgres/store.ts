import { randomUUID } from 'node:crypto'
import { StoreUnavailableError, UserError } from '../../domain/errors.ts'
import type { Lane } from '../../domain/lane.ts'
import { transportKeyOf } from '../key.ts'
import { createOpening } from '../opening.ts'
import type { DeliveryRow } from '../screens.ts'
import type { Arrival, Audit, Changed, DeliveryFilter, Settlement, Store, Verdict } from '../store.ts'
import { acceptAll, setRouted } from './accepting.ts'
import { readAddress } from './address.ts'
import { createApiKeys } from './api-keys.ts'
import { moveDeliveries, retryDeliveries, skipDeliveries } from './changing.ts'
import { claimLane, type Out } from './claiming.ts'
import { createCustomers } from './customers.ts'
import { type Database, prepared, type Session } from './database.ts'
import { expireClaims } from './expiring.ts'
import { createGroups } from './groups.ts'
import { createJobs } from './jobs.ts'
import { asUuid, findKeys } from './keys.ts'
import { createLookups } from './lookups.ts'
import { migrateSchema } from './migrate.ts'
import { createNotices } from './notices.ts'
import { owe } from './owing.ts'
import { createPausing } from './pausing.ts'
import { createPool } from './pool.ts'
import { createPostgresReading } from './reading.ts'
import { createServerClock } from './server-clock.ts'
import { type Ended, releaseAll, settleAll } from './settling.ts'
import { createSnapshots } from './snapshots.ts'
import { createStores } from './stores.ts'
import { endSubmission } from './submissions.ts'

export interface PostgresOptions {
  url: string
  /** How long the same bytes are a copy where nothing else tells (milliseconds). */
  sameBytesWindow: number
  /** Connections to the server, besides the one that listens. */
  connections?: number
  /** Told once when the server cannot be reached, and once when it can. */
  onOpening?: (problem: string | null) => void
}

/** What the store is put together from; in tests the server may be in the process. */
export interface Parts extends Pick<PostgresOptions, 'sameBytesWindow' | 'onOpening'> {
  db: Database
  reading: ReturnType<typeof createPostgresReading>
  /** Brings the schema up to this program's. */
  migrate(): Promise<void>
  /** What hubs of the same schema hear each other on. */
  channel: string
  /** How often a server that is not there is tried again at start, and how often lanes are looked at unasked (milliseconds). */
  reopenEvery?: number
  lookEvery?: number
}

const CONNECTIONS = 10

/** Weights of groups: arrivals and their bytes, results. */
const ACCEPTED_TOGETHER = 256
const BYTES_OF_ONE = 64 * 1024
const SETTLED_TOGETHER = 256

/** Groups of each sort that may be under way: while one is synced to disk, the next is being written. */
const GROUPS = 2

/** The server's time is asked for again after so many looks. */
const LOOKS_A_SYNC = 30

/**
 * The store of several hubs: what they know of each other is in one PostgreSQL schema. If the server cannot be reached now,
 * the store is there all the same, refuses with StoreUnavailableError, and goes on as soon as it can, at start and later.
 * Throws what no waiting will mend (a schema of a newer version).
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, connections = CONNECTIONS, sameBytesWindow, onOpening } = options
  const address = readAddress(url)
  const db = createPool(address, connections)
  return await createPostgresStore({
    db,
    reading: createPostgresReading(createSnapshots(db.pool, address.server)),
    migrate: () => migrateSchema(address),
    channel: `tillbridge_${address.schema}`,
    sameBytesWindow,
    ...(onOpening && { onOpening }),
  })
}

/** As `openPostgresStore`, on a server that is given. */
export async function createPostgresStore(parts: Parts): Promise<Store> {
  const { db, reading, migrate, channel, sameBytesWindow, onOpening, reopenEvery = 1_000, lookEvery = 1_000 } = parts
  /** Whose claims are whose; another for each start. */
  const hub = randomUUID()
  const serverClock = createServerClock(db)
  const listeners: ((lanes: Lane[]) => void)[] = []
  const storeListeners: (() => void)[] = []
  /** The lanes that this hub works on: they are looked at now and then, whoever told of them or did not. */
  const lanes = new Map<string, Lane>()
  /** Claims that are out, by their fences. */
  const out = new Map<number, Out>()

  const wake = (those: readonly Lane[]) => {
    if (those.length > 0) for (const listener of listeners) listener([...those])
  }
  const wakeAll = () => wake([...lanes.values()])

  const opening = createOpening({
    async open() {
      await migrate()
      await serverClock.sync()
    },
    every: reopenEvery,
    onOpening,
    opened: wakeAll,
  })
  const { whenOpen, whileOpen } = opening
  await using opened = new AsyncDisposableStack()
  opened.use(db)
  await opening.start()

  const notices = opened.use(
    createNotices(db, channel, hub, {
      lanes: wake,
      stores: () => {
        for (const listener of storeListeners) listener()
      },
      lost: wakeAll,
    }),
  )
  let looks = 0
  const looking = setInterval(() => {
    wakeAll()
    looks += 1
    if (looks % LOOKS_A_SYNC === 0) void serverClock.sync().catch(() => undefined)
  }, lookEvery)
  looking.unref()
  opened.defer(() => clearInterval(looking))

  const accept = createGroups<Arrival[], Verdict[]>({
    weigh: (arrivals) => arrivals.reduce((sum, { body }) => sum + 1 + Math.floor(body.byteLength / BYTES_OF_ONE), 0),
    most: ACCEPTED_TOGETHER,
    atOnce: GROUPS,
    async run(lists) {
      const arrivals = lists.flat()
      const woken = lanesOf(arrivals.flatMap(({ deliveries }) => deliveries))
      const verdicts = await db.transaction(async (session) => {
        const decided = await acceptAll(session, arrivals, sameBytesWindow)
        if (woken.length > 0) await notices.lanes(session, woken)
        return decided
      })
      wake(woken)
      let from = 0
      return lists.map((list) => {
        from += list.length
        return verdicts.slice(from - list.length, from)
      })
    },
  })

  const settle = createGroups<Ended[], boolean[]>({
    weigh: (ended) => ended.length,
    most: SETTLED_TOGETHER,
    atOnce: GROUPS,
    async run(lists) {
      const applied = await db.transaction((session) => settleAll(session, lists.flat()))
      let from = 0
      return lists.map((list) => {
        from += list.length
        return applied.slice(from - list.length, from)
      })
    },
  })

  /** Takes the claims of results for ending them; a fence that is not out is nobody's here. */
  function takeOut(results: readonly Settlement[]): Ended[] {
    return results.flatMap((result) => {
      const claim = out.get(result.fence)
      if (!claim || claim.delivery !== result.delivery) return []
      out.delete(result.fence)
      return [{ result, claim }]
    })
  }

  /** A person's verb on a selection: ids first, in slices, each slice one commit. */
  async function change(
    which: DeliveryFilter,
    states: DeliveryRow['state'][],
    audit: Audit,
    apply: (session: Session, ids: number[]) => Promise<number>,
  ): Promise<Changed> {
    whenOpen()
    const { matched, sample } = await reading.matching(which, states)
    if (audit.dryRun) return { matched, changed: 0, sample }
    let changed = 0
    for await (const ids of reading.idsOf(which, states))
      changed += await db.transaction((session) => apply(session, ids))
    wakeAll()
    await notices.lanes(db, [...lanes.values()])
    return { matched, changed, sample }
  }

  const pausing = createPausing(db)
  const customers = createCustomers(db)
  const { apiKeys, apiKey, createApiKey, apiKeyUsed, revokeApiKey } = createApiKeys(db)
  const jobs = createJobs(db)
  const stores = createStores(db)
  const lookups = createLookups(db)
  const { matching: _matching, idsOf: _idsOf, ...screens } = reading
  const open = opened.move()

  return {
    accept: whileOpen((arrivals) => (arrivals.length === 0 ? Promise.resolve([]) : accept(arrivals))),

    async claim(lane, room, lease) {
      whenOpen()
      lanes.set(`${lane.urgency} ${lane.destination}`, lane)
      for (;;) {
        const { expired, ...claims } = await claimLane(db, hub, lane, room, lease, out)
        if (!expired) return claims
        while (await expireClaims(db)) {
          // On with the next ones.
        }
        if (claims.calls.length > 0) return claims
      }
    },

    async settle(results) {
      whenOpen()
      const ended = takeOut(results)
      if (ended.length === 0) return results.map(() => false)
      try {
        const applied = await settle(ended)
        const well = new Set(ended.filter((_, index) => applied[index]).map(({ result }) => result))
        wake(lanesOf(ended.map(({ claim }) => claim)))
        return results.map((result) => well.delete(result))
      } catch (error) {
        for (const { result, claim } of ended) out.set(result.fence, claim)
        throw error
      }
    },

    async release(fences) {
      whenOpen()
      const claims = fences.flatMap((fence) => {
        const claim = out.get(fence)
        return claim ? [{ ...claim, fence }] : []
      })
      if (claims.length === 0) return
      await db.transaction((session) => releaseAll(session, claims))
      for (const { fence } of claims) out.delete(fence)
      await notices.lanes(db, lanesOf(claims))
      wake(lanesOf(claims))
    },

    pause: whileOpen(pausing.pause),
    async resume(lane) {
      whenOpen()
      await pausing.resume(lane)
      await notices.lanes(db, [lane])
      wake([lane])
    },
    paused: whileOpen(pausing.paused),

    now: serverClock.now,
    onWork(listener) {
      listeners.push(listener)
    },

    owed: whileOpen(() => db.query(countOpen)),

    async owe(eventId, deliveries) {
      whenOpen()
      const [event] = await db.query(findEvent, [eventId])
      if (!event) throw new UserError(`There is no event ${eventId}.`)
      const ids = await db.transaction(async (session) => {
        const owed = await owe(
          session,
          deliveries.map((step) => ({ event, step })),
        )
        if (owed.some((id) => id > 0)) await session.query(setRouted, [[eventId]])
        await notices.lanes(session, lanesOf(deliveries))
        return owed
      })
      wake(lanesOf(deliveries))
      return ids.filter((id) => id > 0).length
    },

    retry(which, audit, again) {
      const bulk = which.id === undefined
      return change(which, ['waiting', 'held', 'dead', 'skipped'], audit, (session, ids) =>
        retryDeliveries(session, ids, again, bulk, audit, JSON.stringify(which)),
      )
    },
    skip: (which, audit) =>
      change(which, ['waiting', 'claimed', 'held', 'dead'], audit, (session, ids) =>
        skipDeliveries(session, ids, audit, JSON.stringify(which)),
      ),
    move: (from, to, audit) =>
      change({ destination: from }, ['waiting', 'claimed', 'held', 'dead'], audit, (session, ids) =>
        moveDeliveries(session, ids, to, audit, JSON.stringify({ from, to })),
      ),

    saveCustomers: whileOpen(customers.saveCustomers),
    findCustomers: whileOpen(customers.findCustomers),
    customerCount: whileOpen(customers.customerCount),

    async noteLookup(lookup) {
      if (!opening.isOpen()) return
      try {
        await lookups.noteLookup(lookup)
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
      }
    },

    endSubmission: whileOpen((id, end) => endSubmission(db, id, end)),

    async seen(origin, transportKeys) {
      whenOpen()
      const byKey = new Map(transportKeys.map((key) => [asUuid(transportKeyOf(origin, key)), key]))
      const found = await findKeys(db, [...byKey.keys()])
      return new Set([...found.keys()].map((key) => byKey.get(key) ?? ''))
    },

    jobs: whileOpen(jobs.jobs),
    beginJob: whileOpen(jobs.beginJob),
    renewJob: whileOpen(jobs.renewJob),
    saveJob: whileOpen(jobs.saveJob),
    endJob: whileOpen(jobs.endJob),

    stores: whileOpen(stores.stores),
    async saveStores(records, now) {
      whenOpen()
      await stores.saveStores(records, now)
      await notices.stores(db)
    },
    onStores(listener) {
      storeListeners.push(listener)
    },

    apiKeys: whileOpen(apiKeys),
    apiKey: whileOpen(apiKey),
    createApiKey: whileOpen(createApiKey),
    apiKeyUsed: whileOpen(apiKeyUsed),
    revokeApiKey: whileOpen(revokeApiKey),

    check: whileOpen(async () => void (await db.query(write))),

    links: whileOpen(screens.links),
    skippedEffects: whileOpen(screens.skippedEffects),
    events: whileOpen(screens.events),
    event: whileOpen(screens.event),
    deliveries: whileOpen(screens.deliveries),
    delivery: whileOpen(screens.delivery),
    status: whileOpen(screens.status),
    submission: whileOpen(screens.submission),
    submissionItems: whileOpen(screens.submissionItems),
    order: whileOpen(screens.order),
    overdue: whileOpen(screens.overdue),
    jobRuns: whileOpen(screens.jobRuns),

    async [Symbol.asyncDispose]() {
      opening.close()
      await open.disposeAsync()
    },
  }
}

const countOpen = prepared<{ destination: string; open: number }>(`
  select destination, count(*) as open from deliveries
    where state in ('waiting', 'claimed', 'held', 'dead') and state <> 'dead' group by destination`)

const findEvent = prepared<Parameters<typeof owe>[1][number]['event']>(`
  select id, kind, identity, revision, transport_key as "transportKey", body_hash as "bodyHash", received_at as "receivedAt"
    from events where id = $1`)

/** Proves that there is room and leave to write. */
const write = prepared('update customer_count set n = n')

function lanesOf(those: readonly Lane[]): Lane[] {
  return [
    ...new Map(
      those.map(({ destination, urgency }) => [`${urgency} ${destination}`, { destination, urgency }]),
    ).values(),
  ]
}
