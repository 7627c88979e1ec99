import type { KeptRow, MirrorSet } from '../../../domain/catalogue/mirror.ts'
import type { Fact } from '../../../domain/ledger/facts/fact.ts'
import { instantsOf, zonesOf } from '../../../domain/ledger/facts/wall-clock.ts'
import { PLATFORM } from '../../../domain/queue/event.ts'
import { text } from '../../../domain/values/field.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { type Decimal, multiplyDecimals, parseDecimal, sumDecimals } from '../../../domain/values/money.ts'
import { partsOf } from '../../../lib/collections.ts'
import { eachInSlices } from '../../../lib/semaphore.ts'
import type { OperationName } from '../../../platform/http/endpoints.ts'
import type { KnownEvent } from '../../../store/key.ts'
import type { KeptStore } from '../../../store/rows.ts'
import type { Store } from '../../../store/store.ts'
import { mirrorPages } from '../../../store/walk-pages.ts'

/** Its subject is its business key. */
export interface ListedFact extends Fact {
  /** Or the quantity. */
  amount: Decimal
  /** Ids of the stores that share its stock, if several. */
  mayBeOf?: readonly string[]
}

export interface DayRead {
  facts: ListedFact[]
  rows: number
  /** Why the day proves nothing. */
  why: string | null
  counts?: StoreCount[]
}

interface StoreCount {
  storeId: string | null
  listed: number
  listedSum: Decimal
  here: number
  hereSum: Decimal
}

/** A list of the platform for one kind of event. */
export interface FactList {
  kind: string
  list: string
  cannotTell: string | null
  /** Records may be voided, and are then not listed; else a list that lacks one is incomplete. */
  voids: boolean
  /** `bound`: later records need not be listed yet. */
  read(day: string, bound: Instant, signal: AbortSignal): Promise<DayRead>
  /** Reads a day again, for the events of some records as webhooks would bring them. */
  payloads(day: string, subjects: ReadonlySet<string>, signal: AbortSignal): Promise<Map<string, object>>
  here(facts: readonly ListedFact[]): Promise<boolean[]>
}

export interface ListOptions {
  store: Pick<Store, 'known' | 'mirrorPage' | 'bodies' | 'formerPlaces'>
  places: Places
  /** Why there is no such list. */
  lacks(operation: OperationName): string | null
  mirrored: boolean
}

/** Business keys per question: webhooks wait for it (some 10 ms). */
export const BATCH = 1_000

export async function eventsOf(
  store: Pick<Store, 'known'>,
  keys: readonly { kind: string; identity: string }[],
): Promise<(KnownEvent | null)[]> {
  const found: (KnownEvent | null)[] = []
  for (const part of partsOf(keys, BATCH))
    found.push(
      ...(await store.known(part.map((key) => ({ ...key, origin: PLATFORM, transportKey: null, bodyHash: '' })))),
    )
  return found
}

export async function hereBySubject(
  store: Pick<Store, 'known'>,
  kind: string,
  facts: readonly ListedFact[],
): Promise<boolean[]> {
  const events = await eventsOf(
    store,
    facts.map(({ subject }) => ({ kind, identity: subject })),
  )
  return events.map((event) => event !== null)
}

export interface Places {
  ofStore(storeId: string | null): Place
  ofNumber(number: string | null): Place
  ofStock(stockId: string): Place
}

interface Place {
  store: KeptStore | null
  /** Stores may share a stock or, in two countries, a number. */
  storeIds: string[]
  /** All possible ones. */
  zones: string[]
}

export function createPlaces(stores: readonly KeptStore[]): Places {
  const zones = zonesOf(stores)
  const memo = <K>(isThere: (store: KeptStore, key: K) => boolean) => {
    const known = new Map<K, Place>()
    return (key: K): Place => {
      const those = known.has(key) ? [] : stores.filter((one) => isThere(one, key))
      const [store = null] = those
      const storeIds = those.map(({ storeId }) => storeId)
      const place = known.get(key) ?? {
        ...{ store: those.length === 1 ? store : null, storeIds },
        zones: those.length === 0 ? zones : zonesOf(those),
      }
      known.set(key, place)
      return place
    }
  }
  return {
    ofStore: memo(({ storeId }, id) => storeId === id),
    ofNumber: memo(({ number }, key) => key !== null && number === key),
    ofStock: memo(({ stockId }, id) => stockId === id),
  }
}

interface Held {
  store: Pick<Store, 'mirrorPage'>
  set: MirrorSet
  day: string
  /** First day of the mirror to search; default: the day. */
  since?: string
  bound: Instant
  time: string
  amount: string
  placeOf(row: KeptRow): Place
  counts?(row: KeptRow): boolean
  isListed(row: KeptRow): boolean | Promise<boolean>
  voids: boolean
  /** Its columns are known from config alone. */
  isNamed?: boolean
  signal: AbortSignal
}

/** Voided sales that are no sign of an incomplete list. */
const FEW = 2

/**
 * Compares a day of a list with the mirror, by store: these endpoints answer errors with an empty list, or with half of one, so a list
 * that lacks what is here is not believed.
 */
export async function heldAgainst(facts: readonly ListedFact[], held: Held): Promise<Omit<DayRead, 'facts' | 'rows'>> {
  const { store, set, day, since = day, bound, time, amount, placeOf, counts: isCounted = () => true, signal } = held
  const byStore = new Map<string | null, Counting>()
  const countOf = (storeId: string | null) => {
    const known = byStore.get(storeId) ?? { listed: new Sum(), here: new Sum(), due: 0, lacked: 0 }
    byStore.set(storeId, known)
    return known
  }
  await eachInSlices(facts, (fact) => {
    countOf(fact.storeId).listed.add(fact.amount)
  })
  for await (const page of mirrorPages(store, { set, from: since, to: day }, signal))
    for (const row of page) {
      const at = text(row.body, time)
      if (at === null || !isCounted(row)) continue
      const { store: shop, zones } = placeOf(row)
      const count = countOf(shop?.storeId ?? null)
      count.here.add((row.body[amount] as Decimal | null | undefined) ?? NOTHING)
      if (instantsOf(at, zones).latest >= bound) continue
      count.due += 1
      if (!(await held.isListed(row))) count.lacked += 1
    }
  const all = [...byStore].map(([storeId, count]) => ({ storeId, ...count }))
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0)
  const [due, lacked] = [sum((one) => one.due), sum((one) => one.lacked)]
  const isForeign = held.isNamed === true && facts.length > FEW && due > FEW && lacked === due
  return {
    why: isForeign ? UNRECOGNISED : whyShort(due, lacked, { listed: facts.length, voids: held.voids }),
    counts: all.map(({ storeId, listed, here }) => ({
      storeId,
      ...{ listed: listed.count, listedSum: listed.total, here: here.count, hereSum: here.total },
    })),
  }
}

const NOTHING = parseDecimal(0)

interface Counting {
  listed: Sum
  here: Sum
  due: number
  lacked: number
}

/** Amounts of up to four decimals are exact as whole multiples of 1/PARTS. */
const PARTS = 10_000
const PLAIN = /^-?\d{1,9}(\.\d{1,4})?$/

/** Exact count and sum in little memory. */
class Sum {
  count = 0
  #parts = 0
  #rest = NOTHING

  add(amount: Decimal): void {
    this.count += 1
    if (PLAIN.test(amount)) this.#parts += Math.round(Number(amount) * PARTS)
    else this.#rest = sumDecimals([this.#rest, amount])
  }

  get total(): Decimal {
    return sumDecimals([this.#rest, multiplyDecimals(parseDecimal(this.#parts), parseDecimal(1 / PARTS))])
  }
}

/** A list with nothing in common with what is here is not used. */
export const UNRECOGNISED =
  'it has nothing in common with what is here: are the columns that config names the right ones?'

export function whyShort(due: number, lacked: number, { listed, voids }: { listed: number; voids: boolean }) {
  const most = voids ? Math.max(FEW, due / 5) : 0
  if (lacked <= most && !(listed === 0 && lacked > 0)) return null
  return `the list lacks ${lacked} of ${due} that events told of`
}
