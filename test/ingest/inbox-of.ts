import { PULLED } from '../../src/domain/queue/event.ts'
import { flows } from '../../src/flows/index.ts'
import { createInbox, type Inbox } from '../../src/ingest/accept.ts'
import { createReader, createReading, type Incoming } from '../../src/ingest/parse.ts'
import { createRoute, type Routable } from '../../src/ingest/route.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { sale } from '../fixtures/payloads.ts'
import type { TestHub } from '../hub.ts'

/** A second way into a hub that runs, as a job has it. `store`: what stands between, if anything does. */
export function inboxOf({ hub, config }: TestHub, storage: Pick<Storage, 'accept'> = hub.storage): Inbox {
  const routables = config.destinations.map((one) => ({ ...one, abilities: ['publish'], publish: one.publish ?? [] }))
  return createInbox(
    { event: hub.storage.event, accept: storage.accept },
    createReader(createReading({ route: createRoute(flows, routables) })),
  )
}

/** A destination that gets every raw event. */
export function routableTo(name: string, given: Partial<Routable> = {}): Routable {
  return {
    ...{ name, abilities: ['publish'], publish: 'all', skip: [], stores: null, messages: [], channels: {} },
    daily: { flows: [], closes: '03:00' },
    ...given,
  }
}

export function largeSale(receiptNo: string, lines = 3_000) {
  const orderLines = Array.from({ length: lines }, (_, n) => ({ gtin: `590${n}`, note: 'x'.repeat(80) }))
  return sale({ receiptNo, orderLines })
}

export function pulled(kind: string, payload: unknown, given: Partial<Incoming> = {}): Incoming {
  return {
    kind,
    origin: 'pull',
    subscription: PULLED,
    receivedAt: Date.now(),
    headers: {},
    body: Buffer.from(JSON.stringify(payload)),
    transportKey: null,
    unreadable: null,
    ...given,
  }
}
