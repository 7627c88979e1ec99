import type { Database } from 'better-sqlite3'
import type { Instant } from '../../../domain/values/instant.ts'
import type { Acknowledging } from '../acknowledging.ts'
import type { StoredPayloads } from '../payloads/stored-payloads.ts'
import type { Proving } from '../proving.ts'

interface Needed {
  /** Not in memory. */
  bodies: number[]
  /** Marked on the wire. */
  once: number[]
  /** With digest or version. */
  digested: number[]
  /** With facts in `unless`. */
  guarded: number[]
  destination: string
  until: Instant
}

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
    /** Results in the order asked. */
    prepare({ bodies, once, digested, guarded, destination, until }: Needed, now: Instant) {
      // Before the marks end the waiting.
      const compared = digested.map((id) => ({
        waits: isWaiting.get(id) !== undefined,
        ...acknowledging.compare(id, destination),
      }))
      return {
        bodies: bodies.map(payloads.bodyOf),
        /** False: not waiting any more. */
        marked: once.map((id) => markOnWire.run(until, now, id).changes === 1),
        compared,
        overtaken: guarded.map((id) => proving.provenBy(unlessOf(id))),
      }
    },
  }
}
