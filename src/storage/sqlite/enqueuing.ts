import type { Database } from 'better-sqlite3'
import type { Instant } from '../../domain/values/instant.ts'
import { NEW_DELIVERY_COLUMNS, type NewDelivery, newDeliveryRow } from '../arrival.ts'
import type { Enqueued } from '../queue/queues.ts'
import { type Enqueuing as EnqueuingOne, keepNewest, withoutEnqueuedOnce } from '../tables/enqueuing.ts'
import { stepName } from '../tables/past.ts'
import type { KeyTable } from './keys.ts'
import type { RunSteps } from './tables.ts'

/** Enqueues deliveries; ids are counted in memory, as there is one writer. */
export function createEnqueuing(db: Database, keys: KeyTable, run: RunSteps) {
  const addDelivery = db.prepare(
    `insert into deliveries (id, state, ${NEW_DELIVERY_COLUMNS.map(({ name }) => name).join(', ')})
       values (?, 'waiting', ${NEW_DELIVERY_COLUMNS.map(() => '?').join(', ')}) on conflict do nothing`,
  )
  const setRouted = db.prepare(`update events set state = 'routed' where id = ? and state = 'unrouted'`)
  const find = db.prepare<[number], unknown>('select 1 from events where id = ?')
  const lastId = db.prepare<[], { id: number | null }>('select max(id) as id from deliveries')
  let last = lastId.get()?.id ?? 0

  function add(event: number, step: NewDelivery, now: Instant): number {
    const id = last + 1
    const row = newDeliveryRow(step, event)
    row.due_at ??= now
    const values = NEW_DELIVERY_COLUMNS.map(({ name }) => {
      const value = row[name]
      return typeof value === 'boolean' ? Number(value) : value
    })
    const { changes } = addDelivery.run(id, ...values)
    if (changes === 0) return 0
    last = id
    return id
  }

  return {
    enqueue(
      event: EnqueuingOne['event'],
      pending: NewDelivery[],
      now: Instant,
      out: ReadonlySet<number>,
      past: ReadonlySet<string> = NONE,
    ): Enqueued {
      const here = past.size === 0 ? pending : pending.filter((step) => !past.has(stepName(step)))
      const wanted = run(
        withoutEnqueuedOnce(
          keys.store,
          here.map((step) => ({ event, step })),
        ),
      )
      const isWanted = new Set(wanted.map(({ step }) => step))
      const ids = pending.map((step) => (isWanted.has(step) ? add(event.id, step, now) : 0))
      const added = pending.filter(({ latestWins }, nth) => latestWins && ids[nth] !== 0)
      return { ids, superseded: added.length > 0 ? run(keepNewest(added, now, out)) : [] }
    },

    /** Read before this transaction: may be deleted since. */
    isThere: (eventId: number): boolean => find.get(eventId) !== undefined,

    routed(eventId: number): void {
      setRouted.run(eventId)
    },

    rolledBack(): void {
      last = lastId.get()?.id ?? 0
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

export type Enqueuing = ReturnType<typeof createEnqueuing>
