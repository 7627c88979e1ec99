import type { Flow } from '../../src/flows/flow.ts'
import { publish } from '../../src/flows/publish.ts'
import type { Routable } from '../../src/ingest/route.ts'
import type { NewDelivery } from '../../src/storage/arrival.ts'
import type { Released } from '../../src/storage/claim.ts'
import type { DeliveryRow, EventDetail, EventFilter } from '../../src/storage/rows.ts'
import { routableTo } from './inbox-of.ts'

/** An event as a store has kept it; what a story does not say is ordinary. */
export function kept(
  id: number,
  given: Partial<Omit<EventDetail, 'body'>> & { payload?: unknown; body?: Uint8Array | null } = {},
): EventDetail {
  const { payload = {}, ...more } = given
  return {
    id,
    kind: 'SaleCreated',
    origin: 'platform',
    subscription: 'all',
    state: 'routed',
    conflictWith: null,
    receivedAt: Date.parse('2026-11-20T14:00:00Z'),
    transportKey: null,
    identity: `S/${id}`,
    revision: 0,
    entity: null,
    problem: null,
    size: 2,
    sameKeyAs: null,
    dismissedAt: null,
    dismissedBy: null,
    dismissedBecause: null,
    bodyHash: '',
    headers: {},
    body: Buffer.from(JSON.stringify(payload)),
    deliveries: [],
    audit: [],
    ...more,
  }
}

export function made(id: number, given: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    id,
    event: id,
    kind: 'SaleCreated',
    flow: 'journal',
    part: '',
    destination: 'books',
    urgency: 'bulk',
    yields: false,
    entity: null,
    state: 'delivered',
    dueAt: 0,
    open: false,
    tries: 1,
    firstTriedAt: 0,
    settledAt: 0,
    code: 'delivered',
    why: null,
    ...given,
  }
}

/** The part of a store that planning again needs: what is kept, what was asked of it, and what is owed since. */
export function storeOf(events: EventDetail[], released: Record<number, Released> = {}) {
  const asked: EventFilter[] = []
  const pending: { event: number; steps: NewDelivery[]; act: number | undefined }[] = []
  const extended: { act: number; changed: number; events: readonly number[] }[] = []
  const storage = {
    async events({ since = 0, after = 0, limit = 50, ...more }: EventFilter & { after?: number; limit?: number }) {
      asked.push({ since, after, limit, ...more } as EventFilter)
      return events.filter(({ id, receivedAt }) => id > after && receivedAt >= since).slice(0, limit)
    },
    event: async (id: number) => events.find((one) => one.id === id) ?? null,
    delivery: async (id: number) => ({ released: released[id] ?? null }) as never,
    async enqueue(event: number, steps: NewDelivery[], act?: number) {
      pending.push({ event, steps, act })
      return steps.length
    },
    async extendAct(act: number, changed: number, events: readonly number[]) {
      extended.push({ act, changed, events })
    },
  }
  return { storage, asked, pending, extended }
}

/** A flow that keeps the books of sales: a record for each day that the payload names. */
export const JOURNAL: Flow = {
  ...publish,
  name: 'journal',
  port: 'backOffice',
  kinds: ['SaleCreated'],
  urgency: 'bulk',
  plan: ({ payload }) => {
    const { parts = [{ part: '' }] } = payload as { parts?: { part: string; at?: string }[] }
    return parts.map((step) => ({ ...step, entity: null }))
  },
}

export function booksTo(name: string, given: Partial<Routable> = {}): Routable {
  return routableTo(name, { abilities: ['backOffice'], publish: [], ...given })
}
