import { type Instant, isInFuture } from '../../../../src/domain/values/instant.ts'
import type { ClaimLimits } from '../../../../src/storage/claim.ts'
import { type Item, isBefore, START, type Window } from '../../../../src/storage/queue/queue.ts'
import { isDue, locationOf, type Row } from './file.ts'

/** Batched deliveries in the place of one. */
const BATCHED = 5
const MAX_LINGERS = 10

interface Call {
  rows: Row[]
  low: boolean
}

/** What a queue should do, by a scan of all rows each time. `rows`: the file, in order of event and id. */
export function createModel(rows: Row[], window: Window) {
  const most = window.items * BATCHED
  /** When something was last added to a batch that has not gone out, by its name. */
  const gathered = new Map<string, Instant>()
  let round = 0
  let cursor = START
  let complete = false
  let lookedAt: Instant = 0
  let turns = 0

  const known = () => rows.filter((row) => row.known !== null)
  const lineOf = ({ entity }: Row) => known().filter((row) => row.entity === entity)

  function mayGo(row: Row): boolean {
    if (row.state !== 'waiting' || row.out) return false
    if (row.entity === null) return true
    return lineOf(row)[0] === row && !rows.some((other) => other.entity === row.entity && other.out)
  }

  function isLow(row: Row): boolean {
    return row.entity === null ? row.yields : lineOf(row).every((one) => one.yields)
  }

  /** Who may go now, and who not any more. */
  function sync(now: Instant) {
    for (const row of known()) if (row.known && !mayGo(row)) row.known.ready = null
    forgetGoneBatches()
    for (const row of known()) place(row, now, () => ++turns)
    forgetGoneBatches()
  }

  function place(row: Row, now: Instant, turn: () => number) {
    const { known } = row
    if (!known || !mayGo(row)) return
    const low = isLow(row)
    if (known.sleeps || (known.ready && (low || !known.ready.low))) return
    known.ready = null
    if (!isDue(row, now)) {
      known.sleeps = true
      return
    }
    known.ready = { at: now, turn: turn(), low }
    if (row.batch !== null) gathered.set(batchOf(row), Math.max(gathered.get(batchOf(row)) ?? now, now))
  }

  function forgetGoneBatches() {
    const there = new Set(known().flatMap((row) => (row.known?.ready ? [batchOf(row)] : [])))
    for (const name of gathered.keys()) if (!there.has(name)) gathered.delete(name)
  }

  /** Those whose time has come, in its order; after the clock was put back, first those that waited by the old one. */
  function wake(now: Instant) {
    const wasPutBack = isInFuture(lookedAt, now)
    lookedAt = now
    if (wasPutBack) {
      for (const [name, at] of gathered) gathered.set(name, Math.min(at, now))
      for (const row of known()) if (row.known?.ready) row.known.ready.at = Math.min(row.known.ready.at, now)
    }
    const sleeping = known().filter((row) => row.known?.sleeps)
    const early = wasPutBack ? sleeping.filter((row) => dueAtOf(row) > now && isDue(row, now)) : []
    const inTime = sleeping.filter((row) => dueAtOf(row) <= now).sort((a, b) => dueAtOf(a) - dueAtOf(b))
    let last: Instant | null = null
    for (const row of [...early, ...inTime]) {
      const tied = early.includes(row) ? Number.NEGATIVE_INFINITY : dueAtOf(row)
      if (tied !== last) turns += 1
      last = tied
      if (row.known) row.known.sleeps = false
      place(row, now, () => turns)
    }
    forgetGoneBatches()
  }

  function count() {
    const waiting = known().flatMap((row) => (row.out || !row.known ? [] : [row.known.item]))
    const withBody = waiting.filter(({ body }) => body !== null)
    return {
      kept: sum(withBody.map(({ delivery }) => (delivery.batch === null ? BATCHED : 1))),
      bytes: sum(withBody.map(({ body }) => body?.byteLength ?? 0)),
    }
  }

  function capacity() {
    const { kept, bytes } = count()
    if (kept > most / 2 || bytes > window.bytes / 2) return null
    return { items: Math.ceil((most - kept) / BATCHED), bytes: Math.max(1, window.bytes - bytes) }
  }

  function isFull(times: number): boolean {
    const { kept, bytes } = count()
    return kept >= times * most || bytes >= times * window.bytes
  }

  function add(row: Row, item: Item, now: Instant) {
    if (isBefore(cursor, locationOf(row))) cursor = locationOf(row)
    row.known = { item: row.out?.item ?? item, dueAt: row.dueAt, timedAt: null, ready: null, sleeps: false }
    sync(now)
  }

  function reset() {
    for (const row of rows) row.known = null
    gathered.clear()
    cursor = START
    complete = false
    round += 1
  }

  function readyBatches(): Row[][] {
    const batches = Map.groupBy(
      known().filter((row) => row.batch !== null && row.known?.ready),
      batchOf,
    )
    return [...batches.values()].map((batch) => batch.sort(byTurn))
  }

  function goesAt(batch: Row[], { linger }: ClaimLimits['batch']): Instant {
    const [first] = batch
    if (!first?.known?.ready) return Number.POSITIVE_INFINITY
    return Math.min((gathered.get(batchOf(first)) ?? 0) + linger, first.known.ready.at + MAX_LINGERS * linger)
  }

  function callsThatMayGo(now: Instant, limits: ClaimLimits['batch'], allRead: boolean): Call[] {
    const single = known().flatMap((row) => (row.batch === null && row.known?.ready ? [[row]] : []))
    const batched = readyBatches()
      .filter((batch) => isBatchFull(batch, limits) || (allRead && goesAt(batch, limits) <= now))
      .map((batch) => cut(batch, limits))
    return [...single, ...batched]
      .map((call) => ({ rows: call, low: call[0]?.known?.ready?.low ?? false }))
      .sort((one, other) => byTurn(one.rows[0], other.rows[0]))
  }

  return {
    known,
    sync,
    add,
    reset,
    count,

    takes: (row: Row): boolean => !row.known && !row.out && (complete || !isBefore(cursor, locationOf(row))),

    append(row: Row, item: Item, now: Instant) {
      if (row.known) return
      if (complete && isFull(1)) complete = false
      if (!complete && isBefore(cursor, locationOf(row))) return
      if (!complete && isFull(2)) reset()
      else add(row, item, now)
    },

    isOfRound: (then: number): boolean => then === round,
    readTo(last: boolean) {
      complete = last
    },

    wants() {
      const room = complete ? null : capacity()
      return room && { round, after: cursor, ...room }
    },

    hasMore: (): boolean => !complete || known().some((row) => row.known?.ready),

    /** Which calls go out now, by ids. */
    take(now: Instant, { calls: max, yielding, bytes, batch, ignorePriority }: ClaimLimits) {
      wake(now)
      const allRead = complete || capacity() === null
      const taken: Row[][] = []
      let size = 0
      while (taken.length < max) {
        const may = callsThatMayGo(now, batch, allRead).filter(({ low }) => !low || allRead)
        const next = (ignorePriority ? undefined : may.find(({ low }) => !low)) ?? may[0]
        if (!next) break
        if (next.low && taken.length >= yielding) return { calls: taken, yieldingLeft: true }
        size += sum(next.rows.map(({ event }) => event.size))
        if (taken.length > 0 && size > bytes) break
        for (const row of next.rows) if (row.known) row.known.ready = null
        taken.push(next.rows)
        // Out: nothing else of its entity is ready anyway.
        forgetGoneBatches()
      }
      return { calls: taken, yieldingLeft: false }
    },

    /** When something that may not go now can go by the clock alone; null: never. */
    nextAt(now: Instant, limits: ClaimLimits['batch']): Instant | null {
      const sleeping = known().filter((row) => row.known?.sleeps && mayGo(row))
      const batches = readyBatches().filter((batch) => !isBatchFull(batch, limits))
      const times = [...sleeping.map(dueAtOf), ...batches.map((batch) => goesAt(batch, limits))]
      const later = times.filter((at) => at > now)
      return later.length === 0 ? null : Math.min(...later)
    },
  }
}

function dueAtOf({ known, dueAt }: Row): Instant {
  return known?.dueAt ?? dueAt
}

function batchOf({ flow, batch, known }: Row): string {
  return JSON.stringify([flow, batch, known?.ready?.low])
}

/** What became due at the same instant has no order but the queue's own. */
function byTurn(one: Row | undefined, other: Row | undefined): number {
  const [a, b] = [one?.known, other?.known]
  return (a?.ready?.turn ?? 0) - (b?.ready?.turn ?? 0) || (a?.item.turn ?? 0) - (b?.item.turn ?? 0)
}

function isBatchFull(batch: Row[], limits: ClaimLimits['batch']): boolean {
  return batch.length >= limits.items || sum(batch.map(({ event }) => event.size)) >= limits.bytes
}

/** As many as fit, one at least. */
function cut(batch: Row[], { items, bytes }: ClaimLimits['batch']): Row[] {
  const fits = (_: Row, n: number) => n < items && sum(batch.slice(0, n + 1).map(({ event }) => event.size)) <= bytes
  const end = batch.findIndex((row, n) => n > 0 && !fits(row, n))
  return end < 0 ? batch : batch.slice(0, end)
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
