import { type Instant, isInFuture } from '../../domain/values/instant.ts'
import type { Intake, IntakeItem } from '../../ports/intake.ts'

/** Milliseconds that are read again: an order may be saved after one that was changed later. */
const OVERLAP = 2 * 60_000

/** How far the first poll looks back (milliseconds). */
const FIRST = 10 * 60_000
const SECOND = 1_000

interface PollSource<Order> {
  /** Oldest change first. `page`: from 1. */
  read(after: Instant, page: number, signal: AbortSignal): Promise<{ orders: Order[]; more: boolean }>
  changedAt(order: Order): Instant
  itemsOf(order: Order, signal: AbortSignal): IntakeItem[] | Promise<IntakeItem[]>
}

/** Continues from the second of the last order of a page; with a full page of one second, at its next page. */
export function createOrderPoll<Order>(
  { read, changedAt, itemsOf }: PollSource<Order>,
  now: () => Instant = Date.now,
): NonNullable<Intake['poll']> {
  return async (given, { signal }) => {
    const asked = now()
    const cursor = readCursor(given, asked)
    const { orders, more } = await read(cursor.after, cursor.page, signal)
    const newest = orders.map(changedAt).findLast((time) => !Number.isNaN(time)) ?? null
    const items: IntakeItem[] = []
    for (const order of orders) items.push(...(await itemsOf(order, signal)))
    return { items, cursor: writeCursor(nextCursor(cursor, newest, more, asked)), more }
  }
}

interface Cursor {
  after: Instant
  page: number
}

function nextCursor({ after, page }: Cursor, newest: Instant | null, more: boolean, now: Instant): Cursor {
  // A cursor in the future would find nothing until then.
  const isAhead = newest !== null && isInFuture(newest, now)
  if (!more) return { after: Math.max(after, (isAhead ? now - FIRST : (newest ?? after)) - OVERLAP), page: 1 }
  const next = newest === null || isAhead ? after : toSecond(newest) - SECOND
  return next > after ? { after: next, page: 1 } : { after, page: page + 1 }
}

function readCursor(cursor: string | null, now: Instant): Cursor {
  const [, time, page = '1'] = /^(\d[\d:T.-]+)Z?(?:\/(\d+))?/.exec(cursor ?? '') ?? []
  const after = Date.parse(`${time}Z`)
  const isKept = !Number.isNaN(after) && !isInFuture(after, now)
  return isKept ? { after, page: Number(page) } : { after: toSecond(now - FIRST), page: 1 }
}

function toSecond(instant: Instant): Instant {
  return Math.floor(instant / SECOND) * SECOND
}

/** `2026-11-28T12:00:00/1` */
function writeCursor({ after, page }: Cursor): string {
  return `${formatSeconds(after)}/${page}`
}

export function formatSeconds(instant: Instant): string {
  return new Date(instant).toISOString().slice(0, 19)
}
