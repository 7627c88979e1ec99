import type { Owed } from '../owed.ts'
import type { MovedPast } from '../past/moving.ts'
import type { PastDelivery, Shape } from '../past/past-delivery.ts'
import { stepName } from '../past/step-name.ts'
import type { Owing } from './claiming/owing.ts'
import { type Database, prepared, RepeatError, rowsOf, type Session } from './server/database.ts'

type Words = Omit<Shape, 'hasEntity'> & { has_entity: boolean }

const NAMES = 'flow, part, destination, urgency, once, yields, has_entity, tries, code, note'
const GIVEN = `json_to_recordset($1::text::json) as w (flow text, part text, destination text, urgency text, once boolean,
  yields boolean, has_entity boolean, tries int, code text, note text)`

const findShapes = prepared<Words & { id: number }>(
  `select id, ${NAMES} from ${GIVEN} join delivery_shapes using (${NAMES})`,
)
const addShapes = prepared(
  `insert into delivery_shapes (${NAMES}) select ${NAMES} from ${GIVEN} on conflict do nothing`,
)

const take = prepared<{ id: number }>(`
  delete from deliveries d using json_to_recordset($1::text::json) as m (id bigint, entity text, note text)
    where d.id = m.id and d.state = 'delivered' and d.fence is null and d.entity is not distinct from m.entity
      and coalesce(d.took_note, '') = m.note
    returning d.id`)
const add = prepared(`
  insert into past_deliveries (id, event_id, tried_at, shape, settled_after, took_ms, note)
    select * from json_to_recordset($1::text::json) as m (id bigint, event_id bigint, tried_at bigint, shape int, settled_after int,
      took_ms int, note text)`)

const stepsOf = prepared<{ flow: string; part: string; destination: string }>(`
  select flow, part, destination from past_deliveries join delivery_shapes on delivery_shapes.id = shape where event_id = $1`)

/** Moves deliveries to the past, in one commit: those whose rows still say what they did. */
export async function movePast(db: Database, moves: readonly PastDelivery[]): Promise<MovedPast> {
  return await db.transaction(async (session) => {
    const shapes = await shapesOf(session, moves)
    const asked = moves.map(({ id, entity, note, shape }) => ({ id, entity, note: note ?? shape.note }))
    const taken = new Set((await session.query(take, [rowsOf(asked)])).map(({ id }) => id))
    const rows = moves
      .filter(({ id }) => taken.has(id))
      .map(({ id, event, shape, triedAt, settledAfter, tookMs, note }) => ({
        ...{ id, event_id: event, tried_at: triedAt, shape: shapes.get(nameOf(wordsOf(shape))) },
        ...{ settled_after: settledAfter, took_ms: tookMs, note },
      }))
    if (rows.length > 0) await session.query(add, [rowsOf(rows)])
    return { moved: rows.length, seen: moves.length }
  })
}

/** What an event owes, but for the steps that it has in the past. */
export async function owedAgain(session: Session, event: Owing['event'], steps: readonly Owed[]): Promise<Owing[]> {
  const past = new Set((await session.query(stepsOf, [event.id])).map(stepName))
  return steps.filter((step) => !past.has(stepName(step))).map((step) => ({ event, step }))
}

/**
 * Throws a RepeatError where a step that was just owed is in the past: another hub has moved it there after `owedAgain` had looked, and
 * its row, which would have stood in the way, was gone.
 */
export async function expectNoneInPast(
  session: Session,
  event: Owing['event'],
  owing: readonly Owing[],
): Promise<void> {
  const steps = owing.map(({ step }) => step)
  if ((await owedAgain(session, event, steps)).length < steps.length)
    throw new RepeatError('What an event owes was moved to the past at the same time.')
}

/** The ids of shapes, by their names; those that are new are made. */
async function shapesOf(session: Session, moves: readonly PastDelivery[]): Promise<Map<string, number>> {
  const all = new Map(moves.map(({ shape }) => [nameOf(wordsOf(shape)), wordsOf(shape)]))
  const given = rowsOf([...all.values()])
  let found = await session.query(findShapes, [given])
  if (found.length < all.size) {
    await session.query(addShapes, [given])
    found = await session.query(findShapes, [given])
  }
  return new Map(found.map(({ id, ...words }) => [nameOf(words), id]))
}

function wordsOf({ hasEntity, ...shape }: Shape): Words {
  return { ...shape, has_entity: hasEntity }
}

function nameOf({ flow, part, destination, urgency, once, yields, has_entity, tries, code, note }: Words): string {
  return JSON.stringify([flow, part, destination, urgency, once, yields, has_entity, tries, code, note])
}
