import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises'
import { OWN_KINDS, PLATFORM } from '../domain/queue/event.ts'
import type { Audit, EventDetail, EventFilter, EventRow, Part } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import type { Inbox } from './accept.ts'
import { type Walked, walkEvents } from './walk-events.ts'

export interface Reparsed extends Walked {
  /** Ingested; the quarantined ones are dismissed. */
  events: number
  left: number
  sample: Pick<EventRow, 'id' | 'kind'>[]
  act: number | null
}

interface Tools {
  store: Pick<Store, 'events' | 'event' | 'dismiss' | 'extendAct' | 'now'>
  inbox: Pick<Inbox, 'reread'>
  signal?: AbortSignal
}

interface How {
  by: string
  dryRun: boolean
  act: number | null
  part?: Part
}

const SAMPLE = 10

/** Multiple of the time of a page: a start must not wait for it. */
const REST = 4

/** By today's mapping, oldest first, dismissed ones excepted; without repeating their raw `publish`. */
export async function reparse(
  { store, inbox, signal }: Tools,
  filter: EventFilter,
  { by, dryRun, act, part }: How,
): Promise<Reparsed> {
  const result = { events: 0, left: 0, sample: [] as Reparsed['sample'], act }
  const quarantined: EventFilter = { ...filter, state: 'quarantined', dismissed: false }
  const walked = await walkEvents(
    store,
    quarantined,
    part,
    async (page) => {
      const began = performance.now()
      const done: number[] = []
      for (const row of page) {
        if (signal?.aborted) return
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
      if (part === undefined) await sleep((performance.now() - began) * REST, undefined, { signal }).catch(() => {})
    },
    signal,
  )
  return { ...result, ...walked }

  async function one({ id, kind, origin }: EventRow): Promise<boolean> {
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
