import { z } from 'zod'
import type { SeenGap } from '../../domain/completeness/gap.ts'
import {
  type LookedAt,
  lookAtPos,
  type Meanings,
  NEW_POS,
  type PosMemory,
  type PosReceipt,
  type PosReport,
  type Rules,
  readReceipt,
  readReport,
  unclosedGap,
} from '../../domain/completeness/pos.ts'
import { type FormerPlace, likelyStoresOfRow, posNames } from '../../domain/stores/former-place.ts'
import type { StoreIndex } from '../../domain/stores/store-index.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { wallClockInstant } from '../../domain/values/store-time.ts'
import type { Storage } from '../../storage/storage.ts'
import { mirrorPages } from '../../storage/walk-pages.ts'

const DAY = 86_400_000

/** Without a Z report after sales (ms). */
const UNCLOSED = 3 * DAY

interface Asked {
  store: PosStore
  state: Pick<PosState, 'posList' | 'lookedAt'>
  isWatched: boolean
  /** Subjects of gaps that an operator has explained. */
  excused: ReadonlySet<string>
  rules: Rules
  now: Instant
  receiptsSince(day: string): Promise<Map<string, PosReceipt[]>>
}

export interface SeenPos extends Pick<LookedAt, 'until' | 'waits'> {
  key: string
  kept: KeptPos
  isExcused: boolean
}

export interface StoreSeen {
  gaps: SeenGap[]
  judged: string[]
  linked: string[]
  posList: SeenPos[]
}

/** Judges each POS of a store. Receipts are read only if needed. */
export async function lookAtStore({
  store,
  state,
  isWatched,
  excused,
  rules,
  now,
  ...read
}: Asked): Promise<StoreSeen> {
  const { home, storeId, zone, resting, reports } = store
  const posList = [...new Set([...resting, ...reports.map(({ posId }) => posId)])].map((posId) => {
    const key = posKey({ home, posId })
    return { posId, key, own: reports.filter((one) => one.posId === posId), kept: state.posList[key] ?? UNKNOWN_POS }
  })
  // In the future: the clock was ahead.
  const lookedAt = state.lookedAt === null ? now : state.lookedAt > now ? now - UNCLOSED : state.lookedAt
  const days = posList.flatMap(({ own, kept }) => daysNeeded(own, kept, lookedAt))
  const receipts = days.length === 0 ? null : await read.receiptsSince(days.sort()[0] ?? '')
  const seen: StoreSeen = { gaps: [], judged: [], linked: [], posList: [] }
  for (const { posId, key, own, kept } of posList) {
    const pos = { posId, storeId, zone }
    const here = receipts?.get(posId) ?? []
    const looked = lookAtPos({ reports: own, receipts: here, pos, memory: kept, isWatched, rules, now })
    const { memory, until, countedUntil, waits } = looked
    const openSince = receipts === null ? kept.openSince : openedAt(here, countedUntil ?? 0, kept.openSince, zone)
    seen.gaps.push(...looked.gaps)
    seen.judged.push(...looked.judged)
    seen.linked.push(...looked.linked)
    const { last } = memory
    const isUnclosed = !waits && last !== null && openSince !== null && now - openSince > UNCLOSED
    const unclosed = isUnclosed ? unclosedGap(openSince, last, pos) : null
    if (unclosed !== null) seen.gaps.push(unclosed)
    const isExcused = unclosed !== null && excused.has(unclosed.subject)
    seen.posList.push({ key, kept: { ...memory, openSince }, until, waits, isExcused })
  }
  return seen
}

/** First days of the receipts to read; none: nothing can have changed. */
function daysNeeded(reports: readonly PosReport[], { done, openSince, last }: KeptPos, lookedAt: Instant): string[] {
  const isDone = new Set(done)
  const undone = reports.filter(({ settlementId }) => !isDone.has(settlementId))
  if (undone.length === 0 && openSince !== null && last !== null && openSince > last.closedAt) return []
  // A report may hold sales of several days.
  return [dayBefore(lookedAt), ...undone.map(({ from, closedAt }) => from?.slice(0, 10) ?? dayBefore(closedAt))]
}

function dayBefore(at: Instant): string {
  return addDays(new Date(at).toISOString().slice(0, 10), -1)
}

/** First receipt after a report. */
function openedAt(here: readonly PosReceipt[], after: Instant, known: Instant | null, zone: string | null) {
  const found = here.flatMap(({ at }) => wallClockInstant(at, zone) ?? []).filter((at) => at > after)
  const all = known !== null && known > after ? [...found, known] : found
  return all.length === 0 ? null : all.reduce((first, at) => Math.min(first, at))
}

const Link = z.object({
  settlementId: z.string(),
  place: z.string(),
  number: z.number().nullable(),
  closedAt: z.number(),
})

const Pos = z.object({
  begins: z.number().nullable(),
  done: z.array(z.string()),
  last: Link.nullable(),
  /** First sale since its last report. */
  openSince: z.number().nullable(),
})

type KeptPos = PosMemory & Pick<z.output<typeof Pos>, 'openSince'>

export interface PosState {
  posList: Readonly<Record<string, KeptPos>>
  lookedAt: Instant | null
}

const State = z.object({ posList: z.record(z.string(), Pos), lookedAt: z.number().nullable() })

const UNKNOWN_POS: KeptPos = { ...NEW_POS, openSince: null }

export function readPosState(state: unknown): PosState {
  return State.safeParse(state).data ?? { posList: {}, lookedAt: null }
}

/** `home`: the platform's id of its store, else the store's name. */
export function posKey({ home, posId }: { home: string; posId: string }): string {
  return JSON.stringify([home, posId])
}

/** By home. */
function possSince(posList: PosState['posList'], since: Instant): Map<string, string[]> {
  const homes = new Map<string, string[]>()
  for (const [key, { last }] of Object.entries(posList)) {
    if (last === null || last.closedAt < since) continue
    const [home, posId] = JSON.parse(key) as [home: string, posId: string]
    homes.set(home, [...(homes.get(home) ?? []), posId])
  }
  return homes
}

/** Days without a report after which a POS is not waited for. */
const DAYS_OF_RESTING = 60

export interface PosStore {
  /** Unique: the platform's id, else the name. */
  home: string
  storeId: string | null
  zone: string | null
  /** Each number that it has had. */
  names: string[]
  reports: PosReport[]
  resting: string[]
}

export interface ReadTools {
  storage: Pick<Storage, 'mirrorPage'>
  stores: StoreIndex['stores']
  former: readonly FormerPlace[]
  meanings: Meanings
  signal: AbortSignal
}

export async function readStores(
  { posList }: Pick<PosState, 'posList'>,
  { day, now }: { day: string; now: Instant },
  { storage, stores, former, meanings, signal }: ReadTools,
): Promise<PosStore[]> {
  const storesOf = likelyStoresOfRow(stores, former)
  const resting = possSince(posList, now - DAYS_OF_RESTING * DAY)
  const read = new Map<string, PosStore>()
  for await (const rows of mirrorPages(storage, { set: 'settlements', from: day }, signal))
    for (const row of rows) {
      if (row.place === null) continue
      const [only = null, ...others] = storesOf(row)
      const one = storeOf(others.length === 0 ? only : null, row.place)
      const report = readReport(row, meanings, one.zone)
      if (report !== null) one.reports.push(report)
    }
  for (const home of resting.keys()) if (stores.some(({ storeId }) => storeId === home)) storeOf(home, home)
  return [...read.values()]

  function storeOf(storeId: string | null, place: string): PosStore {
    const home = storeId ?? place
    const known = stores.find((one) => one.storeId === storeId)
    const names = known === undefined ? [place] : posNames(known, former)
    const made = read.get(home) ?? {
      ...{ home, storeId, zone: known?.zone ?? null, names, reports: [] },
      resting: resting.get(home) ?? [],
    }
    read.set(home, made)
    return made
  }
}

/** Receipts of a store since a day, by POS, under each name of the store; not those of another store that had the name then. */
export async function readReceipts(
  { storeId, names, zone }: Pick<PosStore, 'storeId' | 'names' | 'zone'>,
  from: string,
  { storage, stores, former, signal }: Pick<ReadTools, 'storage' | 'stores' | 'former' | 'signal'>,
): Promise<Map<string, PosReceipt[]>> {
  const storesOf = likelyStoresOfRow(stores, former)
  const posList = new Map<string, PosReceipt[]>()
  for (const place of names)
    for await (const rows of mirrorPages(storage, { set: 'sales', place, from }, signal))
      for (const row of rows) {
        const of = storesOf(row)
        const receipt = storeId === null || of.length === 0 || of.includes(storeId) ? readReceipt(row, zone) : null
        if (receipt === null) continue
        const known = posList.get(receipt.posId)
        if (known === undefined) posList.set(receipt.posId, [receipt])
        else known.push(receipt)
      }
  return posList
}
