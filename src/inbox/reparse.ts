import { setImmediate as breath } from 'node:timers/promises'
import { OWN_KINDS, PLATFORM } from '../domain/queue/event.ts'
import type { Audit, EventDetail, EventFilter, EventRow, Part } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import type { Inbox } from './accept.ts'

/** The result of reading quarantined events again, or of its dry run. */
export interface Reparsed {
  /** Events that can be read now: each has been taken as one of its own, and the quarantined one is dismissed. */
  events: number
  /** Events that still cannot be read, or whose payload is not kept any more. */
  left: number
  sample: Pick<EventRow, 'id' | 'kind'>[]
  /** Under which it is in the audit; null: a dry run, or the hub itself. */
  act: number | null
  /** How many events were looked at. */
  looked: number
  /** Where the next part begins; null: there is none. */
  next: number | null
}

interface Tools {
  store: Pick<Store, 'events' | 'event' | 'dismiss' | 'extendAct' | 'now'>
  inbox: Pick<Inbox, 'reread'>
  /** Ends it between two events. */
  signal?: AbortSignal
}

/** How it is done; `act` null: by the hub itself, or only counted. */
interface How {
  by: string
  dryRun: boolean
  act: number | null
  part?: Part
}

const PAGE = 200
const SAMPLE = 10

/** The rest after each page, in its own times: a hub that starts with 100,000 quarantined events serves as ever. */
const REST = 4

/**
 * Reads quarantined events of the platform again, oldest first, as today's mapping and readers have them: those that were dismissed are
 * left alone. One that can be read is taken as if it had just come; what it owed while it could not be read (raw, to `publish`) it
 * owes no second time.
 */
export async function reparse(
  { store, inbox, signal }: Tools,
  filter: EventFilter,
  { by, dryRun, act, part }: How,
): Promise<Reparsed> {
  const result: Reparsed = { events: 0, left: 0, sample: [], act, looked: 0, next: null }
  const most = part?.most ?? Number.POSITIVE_INFINITY
  let after = part?.after ?? 0
  while (result.looked < most && !signal?.aborted) {
    const began = performance.now()
    const limit = Math.min(PAGE, most - result.looked)
    const page = await store.events({ ...filter, state: 'quarantined', dismissed: false, after, limit })
    const done: number[] = []
    for (const row of page) {
      if (signal?.aborted) return result
      await breath()
      if (!(await one(row))) {
        result.left += 1
        continue
      }
      done.push(row.id)
      result.events += 1
      if (result.sample.length < SAMPLE) result.sample.push({ id: row.id, kind: row.kind })
    }
    if (act !== null && done.length > 0) await store.extendAct(act, done.length, done)
    result.looked += page.length
    const last = page.at(-1)
    if (!last || page.length < limit) return result
    after = last.id
    if (part === undefined) await rest((performance.now() - began) * REST, signal)
  }
  return { ...result, next: signal?.aborted ? null : after }

  /** Whether it can be read now. */
  async function one({ id, kind, origin }: EventRow): Promise<boolean> {
    // What own systems sent was refused, and they send it again.
    if (origin !== PLATFORM || (OWN_KINDS as readonly string[]).includes(kind)) return false
    const event = await store.event(id)
    if (!event?.body) return false
    const taken = await inbox.reread(event as EventDetail & { body: Uint8Array }, { now: store.now(), dryRun })
    if (taken === null) return false
    if (!dryRun) await store.dismiss({ id }, audit(`it can be read now: event ${taken}`))
    return true
  }

  function audit(reason: string): Audit {
    return { at: store.now(), by, reason, dryRun: false }
  }
}

function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
