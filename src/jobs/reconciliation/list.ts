import type { MirrorSet, StoredMirrorRow } from '../../domain/catalogue/mirror.ts'
import type { StoreCount } from '../../domain/completeness/reconciled.ts'
import { instantsOf, type SourceRecord, zonesOf } from '../../domain/completeness/source-record.ts'
import { keyPart, PLATFORM } from '../../domain/queue/event.ts'
import { text } from '../../domain/values/field.ts'
import { addDays, type Instant } from '../../domain/values/instant.ts'
import { type Decimal, multiplyDecimals, parseDecimal, sumDecimals, ZERO } from '../../domain/values/money.ts'
import { dayIn } from '../../domain/values/store-time.ts'
import { chunksOf } from '../../lib/collections.ts'
import { eachInSlices } from '../../lib/semaphore.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import { rejectedText } from '../../platform/http/read.ts'
import { movementIdentity } from '../../platform/payloads/kinds.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Settlement, StockMovement } from '../../platform/resources/sales.ts'
import type { KnownEvent } from '../../storage/accepting.ts'
import type { StoredStore } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { mirrorPages } from '../../storage/walk-pages.ts'
import { type MovementColumns, movementPayload } from '../pulls/events-by-day.ts'

/** Its subject is its business key. */
export interface ListedRecord extends SourceRecord {
  /** Or the quantity. */
  amount: Decimal
  /** Ids of the stores that share its stock or number, if several. */
  mayBeOf?: readonly string[]
}

export interface DayRead {
  records: ListedRecord[]
  rows: number
  /** Why the day proves nothing. */
  why: string | null
  counts?: StoreCount[]
}

export interface RecordList {
  kind: string
  list: string
  cannotTell: string | null
  /** Records may be voided, and are then not listed; else a list that lacks one is incomplete. */
  voids: boolean
  /** `bound`: later records need not be listed yet. */
  read(day: string, bound: Instant, signal: AbortSignal): Promise<DayRead>
  /** Reads a day again, for the events of some records as webhooks would bring them. */
  payloads(day: string, subjects: ReadonlySet<string>, signal: AbortSignal): Promise<Map<string, object>>
  areStored(records: readonly ListedRecord[]): Promise<boolean[]>
  /** Subjects of records under other numbers of their stores. */
  otherSubjects?(records: readonly ListedRecord[]): Promise<string[]>
}

export interface ListOptions {
  storage: Pick<Storage, 'known' | 'mirrorPage' | 'bodies' | 'formerPlaces'>
  places: Places
  /** Why there is no such list. */
  lacks(operation: OperationName): string | null
  mirrored: boolean
}

/** Business keys per question: webhooks wait for it (some 10 ms). */
export const BATCH = 1_000

export async function eventsOf(
  storage: Pick<Storage, 'known'>,
  keys: readonly { kind: string; identity: string }[],
): Promise<(KnownEvent | null)[]> {
  const found: (KnownEvent | null)[] = []
  const named = keys.map((key) => ({ ...key, origin: PLATFORM, transportKey: null, bodyHash: '' }))
  for (const part of chunksOf(named, BATCH)) found.push(...(await storage.known(part)))
  return found
}

export async function areStoredBySubject(
  storage: Pick<Storage, 'known'>,
  kind: string,
  records: readonly Pick<ListedRecord, 'subject'>[],
): Promise<boolean[]> {
  const keys = records.map(({ subject }) => ({ kind, identity: subject }))
  return (await eventsOf(storage, keys)).map((event) => event !== null)
}

export interface Places {
  ofStore(storeId: string | null): Place
  ofNumber(number: string | null): Place
  ofStock(stockId: string): Place
}

interface Place {
  store: StoredStore | null
  /** Stores may share a stock or a number. */
  storeIds: string[]
  /** All possible ones. */
  zones: string[]
}

export function createPlaces(stores: readonly StoredStore[]): Places {
  const zones = zonesOf(stores)
  const memo = <K>(isThere: (store: StoredStore, key: K) => boolean) => {
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

interface MirrorComparison {
  storage: Pick<Storage, 'mirrorPage'>
  /** The mirror has all; else nothing is compared. */
  mirrored: boolean
  set: MirrorSet
  day: string
  /** First day of the mirror to search; default: the day. */
  since?: string
  bound: Instant
  time: string
  amount: string
  locationOf(row: StoredMirrorRow): Place
  isCounted?(row: StoredMirrorRow): boolean
  isListed(row: StoredMirrorRow): boolean | Promise<boolean>
  voids: boolean
  /** Its columns are known from config alone. */
  isNamed?: boolean
  signal: AbortSignal
}

/** Voided sales that are no sign of an incomplete list. */
const SMALL = 2

/** Compares a day with the mirror: these endpoints answer errors with an empty list, or half of one, which is not believed. */
export async function compareWithMirror(read: DayRead, held: MirrorComparison): Promise<DayRead> {
  if (!held.mirrored || read.why !== null) return read
  const { records } = read
  const { storage, set, day, since = day, bound, time, amount, locationOf, isCounted = () => true, signal } = held
  const byStore = new Map<string | null, { listed: Sum; here: Sum; due: number; lacked: number }>()
  const countOf = (storeId: string | null) => {
    const known = byStore.get(storeId) ?? { listed: new Sum(), here: new Sum(), due: 0, lacked: 0 }
    byStore.set(storeId, known)
    return known
  }
  await eachInSlices(records, (record) => {
    countOf(record.storeId).listed.add(record.amount)
  })
  for await (const page of mirrorPages(storage, { set, from: since, to: day }, signal))
    for (const row of page) {
      const at = text(row.body, time)
      if (at === null || !isCounted(row)) continue
      const { store: shop, zones } = locationOf(row)
      const count = countOf(shop?.storeId ?? null)
      count.here.add((row.body[amount] as Decimal | null | undefined) ?? ZERO)
      if (instantsOf(at, zones).latest >= bound) continue
      count.due += 1
      if (!(await held.isListed(row))) count.lacked += 1
    }
  const all = [...byStore].map(([storeId, count]) => ({ storeId, ...count }))
  const sum = (of: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + of(one), 0)
  const [due, lacked] = [sum((one) => one.due), sum((one) => one.lacked)]
  const isForeign = held.isNamed === true && records.length > SMALL && due > SMALL && lacked === due
  return {
    ...read,
    records: isForeign ? [] : records,
    why: isForeign ? UNRECOGNISED : whyShort(due, lacked, { listed: records.length, voids: held.voids }),
    counts: all.map(({ storeId, listed, here }) => ({
      storeId,
      ...{ listed: listed.count, listedSum: listed.total, here: here.count, hereSum: here.total },
    })),
  }
}

/** Amounts of up to four decimals are exact as whole multiples of 1/PARTS. */
const PARTS = 10_000
const PLAIN = /^-?\d{1,9}(\.\d{1,4})?$/

/** Exact count and sum in little memory. */
class Sum {
  count = 0
  #parts = 0
  #rest = ZERO

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
const UNRECOGNISED = 'it has nothing in common with what is here: are the columns that config names the right ones?'

export function whyShort(due: number, lacked: number, { listed, voids }: { listed: number; voids: boolean }) {
  const most = voids ? Math.max(SMALL, due / 5) : 0
  if (lacked <= most && !(listed === 0 && lacked > 0)) return null
  return `the list lacks ${lacked} of ${due} that events told of`
}

interface MovementOptions extends ListOptions {
  platform: Pick<Platform, 'stockMovements'>
  columns: { id?: string | undefined; type?: string | undefined }
}

const MOVEMENT_KIND = 'StockMovementCreated'

export function movementsList(options: MovementOptions): RecordList {
  const { platform, storage, places, mirrored, lacks } = options
  const { id, type } = options.columns
  const columns: MovementColumns = { id: id ?? '', type }
  return {
    kind: MOVEMENT_KIND,
    list: 'odata Stockmovements',
    cannotTell: lacks('stockMovements.list') ?? (id === undefined ? 'pulls.movementColumns.id is not given' : null),
    voids: false,
    async read(day, bound, signal) {
      const records: ListedRecord[] = []
      let why: string | null = null
      const rejected = await each(day, signal, (row) => {
        const record = recordOf(row, day)
        if (record === null) why ??= 'a movement has no id'
        else records.push(record)
      })
      const keys = new Set(records.map(({ says }) => String(says.movementId)))
      const read = { records, rows: records.length, why: rejected ?? why }
      return await compareWithMirror(read, {
        ...{ set: 'movements', time: 'at', amount: 'quantity', voids: false, isNamed: true },
        ...{ storage, mirrored, day, bound, signal },
        locationOf: ({ place }) => places.ofStock(place ?? ''),
        isListed: ({ key }) => keys.has(key),
      })
    },
    async payloads(day, subjects, signal) {
      const made = new Map<string, object>()
      await each(day, signal, (row) => {
        const payload = movementPayload(row, columns)
        const subject = payload && movementIdentity(payload)?.key
        if (payload !== null && subject != null && subjects.has(subject)) made.set(subject, payload)
      })
      return made
    },
    areStored: (records) => areStoredBySubject(storage, MOVEMENT_KIND, records),
  }

  async function each(day: string, signal: AbortSignal, take: (row: StockMovement) => void): Promise<string | null> {
    const select = [columns.id, ...(type === undefined ? [] : [type])]
    let why: string | null = null
    for await (const { rows, rejected } of platform.stockMovements.list({ from: day, to: day, select }, signal)) {
      why ??= rejectedText(rejected)
      for (const row of rows) if (row.movedAt.startsWith(day)) take(row)
    }
    return why
  }

  function recordOf(row: StockMovement, day: string): ListedRecord | null {
    const payload = movementPayload(row, columns)
    const identity = payload && movementIdentity(payload)
    if (identity == null) return null
    const { store: place, storeIds, zones } = places.ofStock(row.stockId)
    return {
      subject: identity.key,
      storeId: place?.storeId ?? null,
      mayBeOf: storeIds,
      day,
      ...instantsOf(row.movedAt, zones),
      amount: row.quantity,
      says: { movementId: text(row.record, columns.id), stockId: row.stockId, gtin: row.gtin, quantity: row.quantity },
      lacks: null,
    }
  }
}

const SETTLEMENT_KIND = 'POSSettlementCreated'

/** A POS may be closed so many days after its last sale, by whose day the mirror has it. */
const DAYS_LATER = 14

/** Settlements by day: of the closing or of the sales, which is not documented. */
export function settlementsList(options: ListOptions & { platform: Pick<Platform, 'settlements'> }): RecordList {
  const { platform, storage, places, mirrored, lacks } = options
  return {
    kind: SETTLEMENT_KIND,
    list: 'the settlements of the day',
    cannotTell: lacks('settlements.list'),
    voids: false,
    async read(day, bound, signal) {
      const { rows, rejected } = await platform.settlements.list({ day }, signal)
      let why = rejectedText(rejected)
      if (rows.some(({ settledAt }) => settledAt === null)) why ??= 'a settlement does not say when it was made'
      // Later ones may be in no other list; earlier ones were judged with their day.
      const records = rows.flatMap((row) => recordOf(row) ?? []).filter((record) => record.day >= day)
      const keys = new Set(rows.map(({ settlementId }) => settlementId))
      const lists = new Map<string, Promise<Set<string>>>()
      const read = { records, rows: rows.length, why }
      return await compareWithMirror(read, {
        ...{ set: 'settlements', time: 'settledAt', amount: 'grandTotal', voids: false },
        ...{ storage, mirrored, day, bound, signal },
        locationOf: ({ place }) => locationOf(place, null),
        since: addDays(day, -DAYS_LATER),
        isCounted: ({ body, place }) =>
          dayIn(text(body, 'settledAt'), locationOf(place, null).store?.zone ?? null) === day,
        async isListed({ key, day: ofSales }) {
          if (keys.has(key)) return true
          if (ofSales === day) return false
          const list = lists.get(ofSales) ?? keysOf(ofSales, signal)
          lists.set(ofSales, list)
          return (await list).has(key)
        },
      })
    },
    async payloads(day, subjects, signal) {
      const { rows } = await platform.settlements.list({ day }, signal)
      const made = rows.map(({ settlementId, record }): [string, object] => [keyPart(settlementId), record])
      return new Map(made.filter(([subject]) => subjects.has(subject)))
    },
    areStored: (records) => areStoredBySubject(storage, SETTLEMENT_KIND, records),
  }

  function locationOf(storeNo: string | null, storeId: string | null) {
    return storeId === null ? places.ofNumber(storeNo) : places.ofStore(storeId)
  }

  async function keysOf(day: string, signal: AbortSignal): Promise<Set<string>> {
    const { rows } = await platform.settlements.list({ day }, signal)
    return new Set(rows.map(({ settlementId }) => settlementId))
  }

  function recordOf(settlement: Settlement): ListedRecord | null {
    const { settlementId, settledAt, storeId, storeNo, posId, batchNumber, grandTotal } = settlement
    if (settledAt === null) return null
    const { store: place, storeIds, zones } = locationOf(storeNo, storeId)
    return {
      subject: keyPart(settlementId),
      storeId: place?.storeId ?? null,
      mayBeOf: storeIds,
      day: dayIn(settledAt, place?.zone ?? null) ?? '',
      ...instantsOf(settledAt, zones),
      amount: grandTotal?.amount ?? ZERO,
      says: { settlementId, posId, batchNumber },
      lacks: null,
    }
  }
}
