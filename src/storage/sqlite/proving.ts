import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/values/instant.ts'
import { factKeyOf } from '../key.ts'
import type { EndedDelivery } from '../queue/queues.ts'
import type { KeyTable } from './keys.ts'

export function createProving(db: Database, keys: KeyTable) {
  const uncertainOf = db.prepare<[string], EndedDelivery & { once: number }>(
    `select id, destination, entity, once from deliveries indexed by deliveries_of_effect
       where effect = ? and open = 1 and state in ('waiting', 'held')`,
  )
  const effectOf = db.prepare<[number], { effect: string | null }>('select effect from deliveries where id = ?')
  const allUncertain = db.prepare<[], { id: number; effect: string }>(
    `select id, effect from deliveries indexed by deliveries_once_unsettled
       where once = 1 and state in ('waiting', 'claimed', 'held', 'dead') and state in ('waiting', 'held') and open = 1
         and effect is not null`,
  )
  const setDelivered = db.prepare(
    `update deliveries set state = 'delivered', open = 0, finds = 0, failing_since = null, settled_at = ?,
       code = 'proven', why = ? where id = ?`,
  )
  const addAttempt = db.prepare(
    `insert into attempts (delivery_id, at, ms, outcome, code, note) values (?, ?, 0, 'delivered', 'proven', ?)`,
  )

  function deliver(delivery: number, event: number, now: Instant) {
    const note = `proven by event ${event}`
    setDelivered.run(now, note, delivery)
    addAttempt.run(delivery, now, note)
  }

  function provenBy(facts: readonly string[]): number | null {
    for (const fact of facts) {
      const event = keys.get(factKeyOf(fact))
      if (event !== undefined) return event
    }
    return null
  }

  return {
    provenBy,

    /**
     * The first to prove a fact is remembered. `out`: claimed ones, whose own result comes (claimed `once` ones are
     * not `waiting` in the file).
     */
    prove(facts: readonly string[], event: number, now: Instant, out: ReadonlySet<number>): EndedDelivery[] {
      return facts.flatMap((fact) => {
        keys.add(factKeyOf(fact), event)
        const ended = uncertainOf.all(fact).filter(({ id, once }) => once === 1 || !out.has(id))
        for (const { id } of ended) deliver(id, event, now)
        return ended.map(({ id, destination, entity }) => ({ id, destination, entity }))
      })
    },

    settled(delivery: number, now: Instant): boolean {
      const effect = effectOf.get(delivery)?.effect ?? null
      const event = effect === null ? null : provenBy([effect])
      if (event !== null) deliver(delivery, event, now)
      return event !== null
    },

    /** At start: proven while in flight in the last process. */
    takeOver(now: Instant): void {
      for (const { id, effect } of allUncertain.all()) {
        const event = provenBy([effect])
        if (event !== null) deliver(id, event, now)
      }
    },
  }
}

export type Proving = ReturnType<typeof createProving>
