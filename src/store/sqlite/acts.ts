import type { Database } from 'better-sqlite3'
import type { Act } from '../store.ts'

/** The acts of people: a row an act, and which deliveries and events it touched. It runs inside a transaction of the caller. */
export function createActs(db: Database) {
  const add = db.prepare(
    `insert into audit (at, by, action, reason, selection, changed, refused)
       values (@at, @by, @action, @reason, @selection, @changed, @refused)`,
  )
  const more = db.prepare('update audit set changed = changed + ? where id = ?')
  const addDelivery = db.prepare('insert or ignore into audit_deliveries (delivery_id, audit_id) values (?, ?)')
  const addEvent = db.prepare('insert or ignore into audit_events (event_id, audit_id) values (?, ?)')

  function touchEvents(act: number, events: readonly number[]): void {
    for (const id of events) addEvent.run(id, act)
  }

  return {
    noteAct(act: Act, events: readonly number[], deliveries: readonly number[] = []): number {
      const id = Number(add.run(act).lastInsertRowid)
      touchEvents(id, events)
      for (const delivery of deliveries) addDelivery.run(delivery, id)
      return id
    },

    extendAct(act: number, changed: number, events: readonly number[]): void {
      more.run(changed, act)
      touchEvents(act, events)
    },

    /** Adds deliveries to those that the act touched, and as many to its count. How many they are. */
    touch(act: number, deliveries: readonly number[]): number {
      more.run(deliveries.length, act)
      for (const id of deliveries) addDelivery.run(id, act)
      return deliveries.length
    },
  }
}

export type Acts = ReturnType<typeof createActs>
