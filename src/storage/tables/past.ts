import type { Instant } from '../../domain/values/instant.ts'
import type { NewDelivery } from '../arrival.ts'
import type { RowOf } from '../schema.ts'
import { type ColumnTypes, givenOf, insertOf, isGiven, query, rowsOf, type Steps, statement } from './statement.ts'

type Shape = Omit<RowOf<'deliveryShapes'>, 'id'>

const SHAPE = {
  ...{ flow: 'text', part: 'text', destination: 'text', urgency: 'text', once: 'boolean', yields: 'boolean' },
  ...{ hasEntity: 'boolean', tries: 'int', code: 'text', note: 'text' },
} satisfies Record<keyof Shape, ColumnTypes[string]>
const NAMES = Object.keys(SHAPE) as (keyof Shape)[]

const findShapes = statement<Shape & { id: number }>(
  `select s.id, r.* from ${givenOf(SHAPE)} join delivery_shapes s on ${NAMES.map((name) => `s.${isGiven(name)}`).join(' and ')}`,
)
const addShapes = insertOf('delivery_shapes', SHAPE, 'on conflict do nothing')
const take = statement<{ id: number }>(
  `delete from deliveries d using json_to_recordset($1::text::json) as m (id bigint, entity text, note text)
     where d.id = m.id and d.state = 'delivered' and d.entity is not distinct from m.entity
       and coalesce(d.took_note, '') = m.note
     returning d.id`,
  `delete from deliveries where id in (
       select d.id from json_each($1) cross join deliveries d on d.id = value ->> 'id'
         where d.state = 'delivered' and hex(d.entity) = value ->> 'entityHex' and hex(d.took_note) = value ->> 'noteHex')
     returning id`,
)
const add = insertOf('past_deliveries', {
  ...{ id: 'bigint', eventId: 'bigint', shape: 'int', triedAt: 'bigint', settledAfter: 'int', tookMs: 'int' },
  note: 'text',
})
const stepsOf = statement<{ flow: string; part: string; destination: string }>(`
  select flow, part, destination from past_deliveries join delivery_shapes on delivery_shapes.id = shape where event_id = $1`)

export function* movePast(moves: readonly ArchivedDelivery[]): Steps<MovedPast> {
  const shapes = yield* shapesOf(moves)
  const asked = moves.map(({ id, entity, note: own, shape }) => {
    const note = own ?? shape.note
    // As JSON, SQLite would cut a text at NUL.
    return { id, entity, note, entityHex: hexOf(entity ?? ''), noteHex: hexOf(note) }
  })
  const taken = new Set((yield* query(take, [rowsOf(asked)])).map(({ id }) => id))
  const rows = moves
    .filter(({ id }) => taken.has(id))
    .map(({ event, ...one }) => ({ ...one, eventId: event, shape: shapes.get(keyOf(one.shape)) }))
  if (rows.length > 0) yield* query(add, [rowsOf(rows)])
  return { moved: rows.length, seen: moves.length }
}

export function* archivedSteps(event: number): Steps<ReadonlySet<string>> {
  return new Set((yield* query(stepsOf, [event])).map(stepName))
}

function* shapesOf(moves: readonly ArchivedDelivery[]): Steps<Map<string, number>> {
  const all = new Map(moves.map(({ shape }) => [keyOf(shape), shape]))
  const given = rowsOf([...all.values()])
  let found = yield* query(findShapes, [given])
  if (found.length < all.size) {
    yield* query(addShapes, [given])
    found = yield* query(findShapes, [given])
  }
  return new Map(found.map((shape) => [keyOf(shape), shape.id]))
}

function keyOf(shape: Shape): string {
  return JSON.stringify(NAMES.map((name) => (SHAPE[name] === 'boolean' ? Boolean(shape[name]) : shape[name])))
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex').toUpperCase()
}

export interface ArchivedDelivery {
  id: number
  event: number
  shape: Shape
  triedAt: Instant
  settledAfter: number
  tookMs: number
  note: string | null
  entity: string | null
}

export const SETTLED_COLUMNS = [
  ...(['id', 'flow', 'part', 'destination', 'urgency', 'once', 'yields', 'entity', 'state', 'open', 'tries'] as const),
  ...(['finds', 'firstTriedAt', 'settledAt', 'code', 'why', 'effect', 'released', 'tookMs', 'tookNote'] as const),
]
type SettledRow = Pick<RowOf<'deliveries'>, (typeof SETTLED_COLUMNS)[number]> & {
  event: number
  eventEntity: string | null
}

const LONGEST = 2 ** 31

/**
 * Null: not archived, because the row says more, or may be looked for otherwise than by event or id (effects, orders).
 */
export function toArchivedDelivery(row: SettledRow): ArchivedDelivery | null {
  const { id, event, flow, part, destination, urgency, once, yields, entity, tries, code, tookMs, tookNote } = row
  const { firstTriedAt: triedAt, settledAt } = row
  if (row.state !== 'delivered' || row.open || row.finds > 0) return null
  if (row.why !== null || row.effect !== null || row.released !== null) return null
  if (entity !== null && (entity !== row.eventEntity || entity.startsWith('order:'))) return null
  if (triedAt === null || settledAt === null || code === null || tookMs === null) return null
  const settledAfter = settledAt - triedAt
  if (settledAfter < 0 || settledAfter >= LONGEST) return null
  const isCommon = tookNote === null || (tookNote !== '' && COMMON.test(tookNote))
  const note = isCommon ? (tookNote ?? '') : ''
  const words = { flow, part, destination, urgency, once, yields, hasEntity: entity !== null, tries, code, note }
  return { id, event, shape: words, triedAt, settledAfter, tookMs, note: isCommon ? null : tookNote, entity }
}

/** Common and impersonal: an HTTP status line. */
const COMMON = /^HTTP \d{3}( [A-Z][A-Za-z-]*){0,4}$/

export interface MovedPast {
  moved: number
  seen: number
}

/** `after` null: only young ones are left. */
export type ArchiveDeliveries = (
  after: number,
  before: Instant,
  limit: number,
) => Promise<{ moved: number; after: number | null }>

export function createPastMoving(
  reading: {
    toMovePast(
      ...asked: Parameters<ArchiveDeliveries>
    ): Promise<{ moves: readonly ArchivedDelivery[]; after: number | null }>
  },
  move: (moves: readonly ArchivedDelivery[]) => Promise<MovedPast>,
): ArchiveDeliveries {
  return async (after, before, limit) => {
    const chosen = await reading.toMovePast(after, before, limit)
    if (chosen.moves.length === 0) return { moved: 0, after: chosen.after }
    const { moved, seen } = await move(chosen.moves)
    const isWhole = seen === chosen.moves.length
    return { moved, after: isWhole ? chosen.after : (chosen.moves[seen - 1]?.id ?? after) }
  }
}

export function stepName({ flow, part, destination }: Pick<NewDelivery, 'flow' | 'part' | 'destination'>): string {
  return JSON.stringify([flow, part, destination])
}
