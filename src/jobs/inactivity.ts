import { z } from 'zod'
import {
  ActivityProfile,
  ArrivalsByHour,
  advanceProfile,
  arrivalsOfDay,
  createProfile,
  findInactivities,
  type HourOfArrivals,
  Inactivity,
  isExceptional,
  type Opening,
  type OpeningHours,
  type OpenPlace,
  openingAt,
  recentHours,
  recordArrival,
  recordHour,
} from '../domain/inactivity.ts'
import { isWebhook } from '../domain/queue/event.ts'
import { type IndexedStore, presentOf, type StoreIndex } from '../domain/stores/store-index.ts'
import { type Instant, isInFuture, nullIfFuture } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import type { EventRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { type HubJob, readJobState } from './engine/job.ts'

interface Options {
  storage: Pick<Storage, 'events' | 'jobs'>
  storeIndex(): StoreIndex
  opening: OpeningHours
}

const State = z
  .object({
    /** The last counted event. */
    upTo: z.number(),
    /** Since when it runs without a gap. */
    attended: z.number(),
    looked: z.number(),
    usuals: z.array(ActivityProfile),
    inactivities: z.array(Inactivity),
    hours: ArrivalsByHour.default({}),
  })
  .nullable()
  .catch(null)

/** Nothing is learned from a longer gap (ms). */
const GAP = 15 * 60_000

/** Per run. */
const MAX_EVENTS = 50_000
const PAGE = 500

/** Kinds and stores. */
const MAX = 2_000

/** Learns from webhooks what is usual of each kind in each store for each hour of the week, and finds what is unusually quiet. */
export function inactivityJob({ storage, storeIndex, opening }: Options): HubJob {
  return {
    name: 'inactivity',
    async run({ now, signal, state }) {
      const kept = State.parse(state ?? null)
      const index = storeIndex()
      const [newest] = kept === null ? await storage.events({ limit: 1 }) : []
      let upTo = kept?.upTo ?? newest?.id ?? 0
      // In the future: the clock was ahead.
      const isGap = kept === null || isInFuture(kept.looked, now) || now - kept.looked > GAP
      const attended = isGap ? now : (nullIfFuture(kept.attended, now) ?? now)
      const usuals = new Map(
        (kept?.usuals ?? []).map((one) => {
          const isOther = (day: string) => isExceptional(opening, openPlace(one, index), day)
          return [keyOf(one), advanceProfile(one, now, attended, isOther)]
        }),
      )
      const hours = kept === null ? await hoursBefore(storage, upTo, now) : recentHours(kept.hours, now)
      // Recent events end an inactivity, but are counted by a later run.
      const present = new Map(usuals)
      let isSettled = true
      let seen = 0
      for (let after = upTo; seen < MAX_EVENTS; ) {
        signal.throwIfAborted()
        const rows = await storage.events({ after, limit: PAGE })
        const settled: EventRow[] = isSettled ? settledOf(rows, now) : []
        isSettled &&= settled.length === rows.length
        for (const row of settled) {
          count(row, usuals, index, now)
          if (isWebhook(row)) recordHour(hours, row.receivedAt)
        }
        for (const row of rows) count(row, present, index, now)
        upTo = settled.at(-1)?.id ?? upTo
        after = rows.at(-1)?.id ?? after
        seen += rows.length
        if (rows.length < PAGE) break
      }
      const openingOf = createOpenings(opening, index, now)
      // While it is behind, the last result stands.
      const asked = withStores([...present.values()], index)
      const inactivities = seen < MAX_EVENTS ? findInactivities(asked, now, openingOf) : (kept?.inactivities ?? [])
      const quiet = inactivities.map(({ name }) => name).join(', ')
      return {
        state: { upTo, attended, looked: now, usuals: [...usuals.values()], inactivities, hours },
        note: `${pluralize(usuals.size, 'kind')} of stores learned; ${quiet === '' ? 'nothing is quiet' : `quiet: ${quiet}`}`,
      }
    },
  }
}

export async function readInactivities(storage: Pick<Storage, 'jobs'>): Promise<Inactivity[]> {
  return State.parse(await readJobState(storage, 'inactivity'))?.inactivities ?? []
}

/** What came before the first run, as far as it takes no longer than a run. */
async function hoursBefore(storage: Options['storage'], upTo: number, now: Instant): Promise<ArrivalsByHour> {
  const hours: ArrivalsByHour = {}
  const since = now - 24 * 3_600_000
  for (let [after, seen] = [0, 0]; seen < MAX_EVENTS; seen += PAGE) {
    // By time, the first page is searched; the others follow by id.
    const rows = await storage.events({ after, ...(after === 0 && { since }), limit: PAGE })
    for (const row of rows) if (row.id <= upTo && isWebhook(row)) recordHour(hours, row.receivedAt)
    after = rows.at(-1)?.id ?? after
    if (rows.length < PAGE || after >= upTo) break
  }
  return recentHours(hours, now)
}

/** Of the last day by the hour, as of its last run; null: it has not run yet. */
export async function readArrivals(storage: Pick<Storage, 'jobs'>, now: Instant): Promise<HourOfArrivals[] | null> {
  const state = State.parse(await readJobState(storage, 'inactivity'))
  return state && arrivalsOfDay(state.hours, state.usuals, now)
}

function count(row: EventRow, usuals: Map<string, ActivityProfile>, index: StoreIndex, now: Instant): void {
  const { kind, receivedAt } = row
  if (!isWebhook(row)) return
  const place = locationOf(row, index)
  if (place === null) return
  const key = keyOf({ kind, store: place.store })
  if (!usuals.has(key) && usuals.size >= MAX) return
  const known = usuals.get(key) ?? createProfile(kind, place.store, place.zone, now)
  usuals.set(key, recordArrival(known, nullIfFuture(receivedAt, now) ?? now))
}

function keyOf({ kind, store }: Pick<ActivityProfile, 'kind' | 'store'>): string {
  return `${store} ${kind}`
}

/** Of several hubs, an event with a lower id may still come (ms). */
const SETTLES = 30_000

/** Events before which no other can come. */
function settledOf<Row extends { receivedAt: Instant }>(rows: readonly Row[], now: Instant): Row[] {
  // One from a clock that was ahead must not hold up the rest.
  const young = rows.findIndex(({ receivedAt }) => receivedAt > now - SETTLES && !isInFuture(receivedAt, now))
  return young < 0 ? [...rows] : rows.slice(0, young)
}

/** By its store's subscription, its sale or its stock. `store`: the number, with the country if it is ambiguous. */
function locationOf({ subscription, entity }: EventRow, index: StoreIndex): { store: string; zone: string } | null {
  const sale = /^sale:([^/]+)\//.exec(entity ?? '')?.[1]
  const stock = /^stock:([^:]+):/.exec(entity ?? '')?.[1]
  return (
    only(index, ({ storeId }) => storeId === subscription) ??
    (sale === undefined ? null : numbered(index, decodeURIComponent(sale))) ??
    (stock === undefined ? null : only(index, ({ stockId }) => stockId === decodeURIComponent(stock)))
  )
}

function only(index: StoreIndex, isMeant: (store: IndexedStore) => boolean): { store: string; zone: string } | null {
  const meant = index.stores.filter((one) => one.number !== null && isMeant(one))
  const [store, ...others] = new Set(meant.map((one) => index.keyOf(one)))
  const zone = meant[0]?.zone
  return store && zone && others.length === 0 ? { store, zone } : null
}

function numbered({ stores }: StoreIndex, number: string): { store: string; zone: string } | null {
  const zone = stores.find((one) => one.number === number)?.zone
  return zone ? { store: number, zone } : null
}

/** A store with a new number, or deleted, says nothing under its old one. */
function withStores(usuals: readonly ActivityProfile[], index: StoreIndex): ActivityProfile[] {
  const present = presentOf(index.stores)
  const keys = new Set(present.map((one) => index.keyOf(one)))
  const learned = new Set(usuals.map(({ store }) => store))
  // Without a subscription of their own, stores are known by numbers that several may have.
  const isOfAll = (store: string) => {
    const its = present.filter(({ number }) => number === store)
    return its.length > 0 && !its.some((one) => learned.has(index.keyOf(one) ?? ''))
  }
  return usuals.filter(({ store }) => keys.has(store) || isOfAll(store))
}

/** Once for each store. */
function createOpenings(hours: OpeningHours, index: StoreIndex, now: Instant): (usual: ActivityProfile) => Opening {
  const known = new Map<string, Opening>()
  return (usual) => {
    const opening = known.get(usual.store) ?? openingAt(hours, openPlace(usual, index), now)
    known.set(usual.store, opening)
    return opening
  }
}

function openPlace({ store, zone }: ActivityProfile, index: StoreIndex): OpenPlace {
  const its = index.stores.find((one) => index.keyOf(one) === store)
  return { number: its?.number ?? store, country: its?.countryCode ?? index.countryOf(store), zone }
}
