import type { Event } from '../../../../src/domain/queue/event.ts'
import { type Instant, isInFuture } from '../../../../src/domain/values/instant.ts'
import { NEVER_TRIED } from '../../../../src/storage/claim.ts'
import { type Item, isBefore, itemOfRow, itemOfStep, type QueuePosition } from '../../../../src/storage/queue/queue.ts'
import { pending } from '../../arrivals.ts'

/** An event in the model's file. */
export interface EventRow {
  id: number
  receivedAt: Instant
  size: number
  /** Counts up with each richer body. */
  version: number
}

/** A delivery in the model's file, and what the queue knows of it. */
export interface Row {
  id: number
  event: EventRow
  flow: string
  entity: string | null
  batch: string | null
  effect: string | null
  notBefore: Instant | null
  dueAt: Instant
  state: 'waiting' | 'held' | 'dead' | 'skipped' | 'superseded' | 'delivered' | 'elsewhere'
  yields: boolean
  tries: number
  firstTriedAt: Instant | null
  /** The queue was told of it, or has read it. */
  isTold: boolean
  /** In the queue's memory since the file was last read from its beginning. */
  known: Known | null
  out: { item: Item; at: Instant } | null
}

interface Known {
  item: Item
  dueAt: Instant
  /** When an attempt set `dueAt`; null: it was read. */
  timedAt: Instant | null
  /** It may go: since when, in which turn, and with low priority. */
  ready: { at: Instant; turn: number; low: boolean } | null
  /** It was not due when its turn came: the queue looks at it again when it hands out. */
  sleeps: boolean
}

export function locationOf({ event, id }: Row): QueuePosition {
  return { event: event.id, delivery: id }
}

export function insertInOrder(rows: Row[], row: Row): void {
  rows.splice(rows.findLastIndex((other) => isBefore(locationOf(other), locationOf(row))) + 1, 0, row)
}

export function isOpen({ state }: Row): boolean {
  return state === 'waiting' || state === 'held'
}

/** Due by a clock that was ahead counts as due. */
export function isDue({ known, firstTriedAt, event: { receivedAt } }: Row, now: Instant): boolean {
  if (!known) return false
  const { dueAt, timedAt } = known
  if (dueAt <= now) return true
  if (!isInFuture(dueAt, now) || (timedAt !== null && !isInFuture(timedAt, now))) return false
  if (firstTriedAt === null) return isInFuture(receivedAt, now) && !isInFuture(dueAt, receivedAt)
  return isInFuture(firstTriedAt, now) && dueAt >= firstTriedAt
}

/** When an attempt is repeated that began by a clock that was set back since. */
export function repeatedAt(dueAt: Instant, triedAt: Instant, now: Instant): Instant {
  return isInFuture(triedAt, now) && dueAt >= triedAt ? now + (dueAt - triedAt) : dueAt
}

export function bodyOf({ size, version }: EventRow): Uint8Array {
  return new Uint8Array(size).fill(version)
}

export function hashOf({ version }: EventRow): string {
  return `v${version}`
}

/** As it comes with the acceptance. */
export function newItem({ id, event, flow, entity, batch, effect, notBefore, yields }: Row): Item {
  const step = pending({ flow, entity, batch, effect, notBefore, yields })
  return itemOfStep(id, step, itemEventOf(event), bodyOf(event))
}

/** As a page of the file has it. */
export function loadedItem({ id, event, flow, entity, batch, effect, ...row }: Row): Item {
  const { destination, urgency, part, once } = pending()
  const { tries, firstTriedAt } = row
  const step = { id, flow, part, destination, urgency, entity, batch, once, effect, released: null }
  return itemOfRow({
    delivery: { ...step, ...NEVER_TRIED, tries, firstTriedAt },
    event: itemEventOf(event),
    body: bodyOf(event),
    size: event.size,
    dueAt: row.dueAt,
    state: row.state === 'held' ? 'held' : 'waiting',
    digested: false,
    guarded: false,
    yields: row.yields,
  })
}

function itemEventOf({ id, receivedAt, version }: EventRow): Omit<Event, 'body'> {
  return {
    ...{ id, receivedAt, kind: 'InvoiceCreated', origin: 'platform', subscription: 'all', revision: 0 },
    ...{ transportKey: null, identity: null, entity: null, bodyHash: `v${version}` },
  }
}
