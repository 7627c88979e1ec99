import type { Database } from 'better-sqlite3'
import type { PastDelivery, Shape } from '../../past/past-delivery.ts'
import { stepName } from '../../past/step-name.ts'

/** Deliveries of the past. It runs inside a transaction of the caller. */
export function createPast(db: Database) {
  const words = ['flow', 'part', 'destination', 'urgency', 'once', 'yields', 'has_entity', 'tries', 'code', 'note']
  const findShape = db.prepare<(string | number)[], { id: number }>(
    `select id from delivery_shapes where ${words.map((word) => `${word} = ?`).join(' and ')}`,
  )
  const addShape = db.prepare(
    `insert into delivery_shapes (${words.join(', ')}) values (${words.map(() => '?').join(', ')})`,
  )
  const take = db.prepare(
    `delete from deliveries where id = ? and state = 'delivered' and entity is ? and coalesce(took_note, '') = ?`,
  )
  const add = db.prepare(
    `insert into past_deliveries (id, event_id, shape, tried_at, settled_after, took_ms, note) values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const stepsOf = db.prepare<[number], { flow: string; part: string; destination: string }>(
    `select flow, part, destination from past_deliveries join delivery_shapes on delivery_shapes.id = shape
       where event_id = ?`,
  )

  function shapeOf(shape: Shape): number {
    const { flow, part, destination, urgency, once, yields, hasEntity, tries, code, note } = shape
    const values = [
      flow,
      part,
      destination,
      urgency,
      Number(once),
      Number(yields),
      Number(hasEntity),
      tries,
      code,
      note,
    ]
    return findShape.get(...values)?.id ?? Number(addShape.run(...values).lastInsertRowid)
  }

  return {
    /** Moves those whose rows still say what they did; how many. */
    movePast(moves: readonly PastDelivery[]): number {
      const shapes = new Map<string, number>()
      let moved = 0
      for (const { id, event, shape, triedAt, settledAfter, tookMs, note, entity } of moves) {
        if (take.run(id, entity, note ?? shape.note).changes === 0) continue
        const name = JSON.stringify(shape)
        const known = shapes.get(name) ?? shapeOf(shape)
        shapes.set(name, known)
        add.run(id, event, known, triedAt, settledAfter, tookMs, note)
        moved += 1
      }
      return moved
    },

    /** The steps of an event that the past has: it owes them no more. */
    pastSteps: (event: number): ReadonlySet<string> => new Set(stepsOf.all(event).map(stepName)),
  }
}

export type Past = ReturnType<typeof createPast>
