import { z } from 'zod'
import { type Instant, over } from '../../domain/values/instant.ts'
import { digestOf } from '../../domain/values/text.ts'
import type { Platform } from '../../platform/platform.ts'
import { Held } from '../pulls/days.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Name of a full reading among those with unreadable rows. */
export const ALL = 'all'

/** (ms) */
const OVERLAP = 20 * MINUTE

/** Lists that never stop changing are read all the same after so long (ms). */
const LONGEST = HOUR

/** Instants are when a reading began. */
export type ProductsState = z.output<typeof ProductsState>

export const ProductsState = z
  .object({
    full: z.number().nullable(),
    readAt: z.number().nullable(),
    endedAt: z.number().nullable(),
    pricesAt: z.number().nullable(),
    /** Digest of the price lists at the full reading; null: the platform does not list them. */
    listsRead: z.string().nullable(),
    listsSeen: z.string().nullable(),
    /** Since when the lists differ from what was read, and their last change. */
    changed: z.object({ first: z.number(), last: z.number() }).nullable(),
    retail: z.string(),
    held: Held.default({}),
  })
  .catch(() => NOTHING_READ)

const NOTHING_READ = {
  full: null,
  readAt: null,
  endedAt: null,
  pricesAt: null,
  listsRead: null,
  listsSeen: null,
  changed: null,
  retail: '',
  held: {},
}

export interface Reading {
  /** Null: everything. */
  changedSince: Instant | null
  /** State after the reading. */
  known: Omit<ProductsState, 'endedAt'>
}

interface Now {
  now: Instant
  lists: string | null
  retail: string
  settles: number
}

/** Ignores instants in the future: the clock was ahead. */
export function believed(noted: ProductsState, now: Instant): ProductsState {
  const full = over(noted.full, now)
  const { changed } = noted
  return {
    ...noted,
    full,
    readAt: over(noted.readAt, now) ?? full,
    endedAt: over(noted.endedAt, now),
    pricesAt: over(noted.pricesAt, now) ?? full,
    changed: changed && { first: over(changed.first, now) ?? now, last: over(changed.last, now) ?? now },
  }
}

/** A change of prices does not name its products: everything is read once price lists have rested, or changed for an hour. */
export function planReading(noted: ProductsState, { now, lists, retail, settles }: Now): Reading {
  const left = believed(noted, now)
  const { full } = left
  const changed = noticed(left, lists, now)
  const atRest = changed === null || now - changed.last >= settles
  const since = full === null ? Infinity : now - full
  const isFull =
    full === null ||
    since >= DAY ||
    retail !== left.retail ||
    (changed !== null && (atRest || now - Math.max(changed.first, full) >= LONGEST))
  if (isFull) {
    const asOfNow = { full: now, readAt: now, pricesAt: now, listsSeen: lists, retail, held: left.held }
    return {
      changedSince: null,
      known: { ...asOfNow, ...(atRest ? { listsRead: lists, changed: null } : kept(left, changed)) },
    }
  }
  const pricesAt = changed === null && lists !== null ? now : left.pricesAt
  const overlap = Math.max(OVERLAP, settles + 5 * MINUTE)
  return {
    changedSince: (left.readAt ?? full) - overlap,
    known: { ...left, readAt: now, pricesAt, listsSeen: lists, changed },
  }
}

/**
 * State after a reading with unreadable products: changes since the last complete one are asked for again. A full reading is repeated
 * after a day.
 */
export function askedAgain(left: ProductsState, known: Reading['known']): Reading['known'] {
  return known.full === left.full ? { ...known, readAt: left.readAt } : known
}

function noticed({ full, listsRead, listsSeen, changed }: ProductsState, lists: string | null, now: Instant) {
  if (full === null || lists === null || lists === listsRead) return null
  if (changed === null) return { first: now, last: now }
  return lists === listsSeen ? changed : { ...changed, last: now }
}

function kept({ listsRead }: ProductsState, changed: ProductsState['changed']) {
  return { listsRead, changed }
}

type List = Awaited<ReturnType<Platform['prices']['lists']>>['rows'][number]

export function listsDigest(lists: readonly List[]): string {
  return digestOf(lists.map(({ id, name, productCount, updated }) => [id, name, productCount, updated]).sort())
}
