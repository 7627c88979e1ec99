import type { Database } from 'better-sqlite3'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Acknowledging } from '../acknowledging.ts'
import type { StoredPayloads } from '../payloads/stored-payloads.ts'
import type { Proving } from '../proving.ts'

/** The questions to the file before claims go out. */
interface Needed {
  /** Events whose bodies are not in memory. */
  bodies: number[]
  /** `once` deliveries: on the wire from now on. */
  once: number[]
  /** Deliveries that have a digest or a version. */
  digested: number[]
  /** Deliveries that facts may overtake. */
  guarded: number[]
  destination: string
  /** The end of the lease. */
  until: Instant
}

/** The last reads and marks before a call. They run inside a transaction of the caller. */
export function createPreparing(
  db: Database,
  payloads: StoredPayloads,
  acknowledging: Acknowledging,
  proving: Proving,
) {
  const markOnWire = db.prepare(
    `update deliveries set state = 'claimed', open = 1, due_at = ?, first_tried_at = coalesce(first_tried_at, ?)
       where id = ? and state = 'waiting'`,
  )
  const isWaiting = db.prepare<[number], { waiting: 1 }>(
    `select 1 as waiting from deliveries where id = ? and state = 'waiting'`,
  )

  const getUnless = db.prepare<[number], { unless: string | null }>('select unless from deliveries where id = ?')

  function unlessOf(delivery: number): string[] {
    const list = getUnless.get(delivery)?.unless
    return list ? JSON.parse(list) : []
  }

  return {
    /** Each in the order that it was asked for in. */
    prepare({ bodies, once, digested, guarded, destination, until }: Needed, now: Instant) {
      // Before the marks, which end the waiting.
      const compared = digested.map((id) => ({
        waits: isWaiting.get(id) !== undefined,
        ...acknowledging.compare(id, destination),
      }))
      return {
        /** The bodies; null where retention has taken one. */
        bodies: bodies.map(payloads.bodyOf),
        /** False: not waiting any more. */
        marked: once.map((id) => markOnWire.run(until, now, id).changes === 1),
        compared,
        /** The event that has overtaken it; null: none. */
        overtaken: guarded.map((id) => proving.provenBy(unlessOf(id))),
      }
    },
  }
}
