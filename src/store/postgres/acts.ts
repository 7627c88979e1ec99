import type { Act } from '../store.ts'
import { type Database, prepared, type Session, textOf } from './server/database.ts'

const add = prepared<{ id: number }>(`
  insert into audit (at, by, action, reason, selection, changed, refused) values ($1, $2, $3, $4, $5, $6, $7) returning id`)
const more = prepared('update audit set changed = changed + $2 where id = $1')
const addDeliveries = prepared(`
  insert into audit_deliveries (delivery_id, audit_id) select id, $1 from unnest($2::bigint[]) as t (id) on conflict do nothing`)
const addEvents = prepared(`
  insert into audit_events (event_id, audit_id) select id, $1 from unnest($2::bigint[]) as t (id) on conflict do nothing`)

/** The acts of people: a row an act, and which events it touched. */
export function createActs(db: Database) {
  return {
    async noteAct(
      { at, by, action, reason, selection, changed, refused }: Act,
      events: readonly number[],
      deliveries: readonly number[] = [],
    ) {
      return await db.transaction(async (session) => {
        const row = [at, by, action, reason, selection, changed, refused].map(textOf)
        const [added] = await session.query(add, row)
        const id = added?.id ?? 0
        if (events.length > 0) await session.query(addEvents, [id, events])
        if (deliveries.length > 0) await session.query(addDeliveries, [id, deliveries])
        return id
      })
    },

    async extendAct(act: number, changed: number, events: readonly number[]): Promise<void> {
      await db.transaction(async (session) => {
        await session.query(more, [act, changed])
        await session.query(addEvents, [act, events])
      })
    },
  }
}

/** The act has changed so many more. The transaction is the caller's. */
export async function countMore(session: Session, act: number, changed: number): Promise<void> {
  await session.query(more, [act, changed])
}

/** Adds events to those that the act touched, and as many to its count. How many they are. The transaction is the caller's. */
export async function touchEvents(session: Session, act: number, events: readonly number[]): Promise<number> {
  await session.query(more, [act, events.length])
  await session.query(addEvents, [act, events])
  return events.length
}

/** Adds deliveries to those that the act touched, and as many to its count. How many they are. The transaction is the caller's. */
export async function touchDeliveries(session: Session, act: number, deliveries: readonly number[]): Promise<number> {
  await session.query(more, [act, deliveries.length])
  await session.query(addDeliveries, [act, deliveries])
  return deliveries.length
}
