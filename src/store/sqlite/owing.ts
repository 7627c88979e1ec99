import type { Database } from 'better-sqlite3'
import { deliveryKey, type Event } from '../../domain/event.ts'
import type { Owed } from '../store.ts'
import { digest, type KeyTable } from './keys.ts'

/** Writes the deliveries that an event owes. Their ids are counted here: there is one writer. */
export function createOwing(db: Database, keys: KeyTable) {
  const addDelivery = db.prepare(
    `insert into deliveries (id, event_id, flow, part, destination, urgency, entity, batch, once, state, due_at)
       values (?,?,?,?,?,?,?,?,?,'waiting',?) on conflict do nothing`,
  )
  const setRouted = db.prepare(`update events set state = 'routed' where id = ? and state = 'unrouted'`)
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from deliveries')
  let last = lastId.get()?.id ?? 0

  return {
    /** The ids of the new deliveries; 0 where the event has it already, or a `once` effect was ever owed to anybody. */
    owe(event: Omit<Event, 'body' | 'origin' | 'subscription' | 'entity'>, owed: Owed[]): number[] {
      return owed.map((step) => {
        const { flow, part, destination, urgency, entity, batch, once } = step
        if (once && !keys.add(digest('once', deliveryKey(event, flow, part)), event.id)) return 0
        const id = last + 1
        const dueAt = step.notBefore ?? event.receivedAt
        const { changes } = addDelivery.run(
          id,
          event.id,
          flow,
          part,
          destination,
          urgency,
          entity,
          batch,
          once ? 1 : 0,
          dueAt,
        )
        if (changes === 0) return 0
        last = id
        return id
      })
    },

    routed(eventId: number): void {
      setRouted.run(eventId)
    },

    /** After a rollback: ids handed out in it are free again. */
    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

export type Owing = ReturnType<typeof createOwing>
