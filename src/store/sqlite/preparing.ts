import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/instant.ts'
import type { Acknowledging } from './acknowledging.ts'

/** What is needed of the file before claims go out. */
interface Needed {
  /** Events whose bodies are not in memory. */
  bodies: number[]
  /** `once` deliveries: on the wire from now on. */
  once: number[]
  /** Deliveries that have a digest. */
  digested: number[]
  destination: string
  /** The end of the lease. */
  until: Instant
}

/** The last reads and marks before a call. They run inside a transaction of the caller. */
export function createPreparing(db: Database, acknowledging: Acknowledging) {
  const getBody = db.prepare<[number], { body: Buffer }>('select body from payloads where event_id = ?')
  const markOnWire = db.prepare(
    `update deliveries set state = 'claimed', open = 1, due_at = ?, first_tried_at = coalesce(first_tried_at, ?)
       where id = ? and state = 'waiting'`,
  )
  const isWaiting = db.prepare<[number], { waiting: 1 }>(
    `select 1 as waiting from deliveries where id = ? and state = 'waiting'`,
  )

  return {
    /** Each in the order that it was asked for in. */
    prepare({ bodies, once, digested, destination, until }: Needed, now: Instant) {
      // Before the marks, which end the waiting.
      const compared = digested.map((id) => ({
        waits: isWaiting.get(id) !== undefined,
        unchanged: acknowledging.isUnchanged(id, destination),
      }))
      return {
        /** Null where retention has taken one. */
        bodies: bodies.map((id): Uint8Array | null => getBody.get(id)?.body ?? null),
        /** False: not waiting any more. */
        marked: once.map((id) => markOnWire.run(until, now, id).changes === 1),
        compared,
      }
    },
  }
}
