import type { PlacedOrder } from '../../../src/domain/orders/which-order.ts'
import type { Event } from '../../../src/domain/queue/event.ts'
import { digestOf } from '../../../src/domain/values/text.ts'
import type { PlatformVerifier } from '../../../src/flows/flow.ts'
import { flows } from '../../../src/flows/index.ts'
import { createReading } from '../../../src/ingest/parse.ts'
import { createRoute, type Routable } from '../../../src/ingest/route.ts'
import { readOrderUpdate } from '../../../src/platform/payloads/order-update.ts'
import type { Call } from '../../../src/ports/ports.ts'
import { begin, prepare } from '../../../src/queue/call.ts'
import { loggedEventOf } from '../../../src/queue/order-reader.ts'
import type { NewDelivery } from '../../../src/storage/arrival.ts'
import type { Claim, ClaimedDelivery } from '../../../src/storage/claim.ts'
import { bytesOf } from '../../fixtures/payloads.ts'
import { createStillClock, destinationOf } from '../../queue/kit/parts.ts'
import { sourcesOf } from '../../queue/sources.ts'

export interface Left {
  flow: string
  part: string
  call: Call
}

/** How an event ended: what would leave the hub, and by flow how what does not leave ended. */
export interface Ended {
  left: Left[]
  kept: { flow: string; outcome: string; code: string; why: string }[]
  quarantined: boolean
}

/** One destination that can do everything, and is told everything. */
const EVERYTHING: Routable = {
  name: 'all',
  abilities: flows.flatMap(({ port, method }) => [port, `${port}.${method}`]),
  publish: [],
  skip: [],
  stores: null,
  messages: ['ready', 'collected', 'declined', 'expired'],
  channels: {},
  daily: { flows: [], closes: '03:00' },
}

const byName = new Map(flows.map((flow) => [flow.name, flow]))
const read = createReading({ route: createRoute(flows, [EVERYTHING]) })
const NOW = Date.parse('2026-11-21T10:00:00Z')

/** Takes an event and carries its steps out, as far as the call; the platform's record says what `truth` says. */
export async function runOf(kind: string, payload: object, truth: object): Promise<Ended> {
  const incoming = {
    kind,
    origin: 'platform',
    subscription: null,
    receivedAt: NOW,
    headers: {},
    body: bytesOf(payload),
    transportKey: null,
    unreadable: null,
  }
  const arrival = read(incoming)
  const ended: Ended = { left: [], kept: [], quarantined: arrival.problem !== null }
  // Of what has no identity, the bytes are the name: they always differ.
  const event: Event = { ...arrival, id: 1, revision: 0, bodyHash: 'of-the-bytes' }
  for (const pending of arrival.deliveries) await one(event, pending, truth, ended)
  return ended
}

async function one(event: Event, pending: NewDelivery, truth: object, ended: Ended): Promise<void> {
  const flow = byName.get(pending.flow)
  if (!flow) throw new Error(`there is no flow ${pending.flow}`)
  const limits = { clock: createStillClock(NOW), timeout: 1_000, underWay: new Map<number, AbortController>() }
  const [destination, sources] = [destinationOf({ name: 'all' }), sourcesFor(truth)]
  const step = begin(claimOf(event, claimed(pending)), flow, destination, sources, NOW)
  await prepare(step, flow, destination, sources, limits)
  const { call, outcome } = step
  if (call) ended.left.push({ flow: flow.name, part: pending.part, call })
  // Where nothing is left to do, nothing is kept.
  else if (outcome && outcome.type !== 'superseded' && outcome.type !== 'delivered')
    ended.kept.push({ flow: flow.name, outcome: outcome.type, code: outcome.code, why: outcome.why })
}

/** An order of a customer who can be written to, whatever its number; and the platform's record. */
function sourcesFor(truth: object) {
  const customer = { name: 'Kari', email: 'kari.nordmann@example.com', phone: '+4790012345' }
  return sourcesOf({
    orders: {
      verifier: verifierOf(truth),
      placed: async ({ number }): Promise<PlacedOrder> => ({
        number,
        status: null,
        storeName: null,
        customer,
        lines: [],
      }),
    },
    storeOf: () => ({ storeNo: '101', storeId: '42', storeKey: '101', country: 'NO', zone: 'Europe/Oslo' }),
  }).sources
}

/** The platform's own record: what is true, whatever the webhook says. */
function verifierOf(truth: object): PlatformVerifier {
  const order = readOrderUpdate(truth)
  return {
    order: async (number) =>
      order?.number === number
        ? {
            status: order.status,
            lines: order.lines,
            parcels: order.shipments?.map(({ id }) => id) ?? null,
            isSent: null,
          }
        : 'extId' in truth && truth.extId === number
          ? { status: 'Expired', lines: [], parcels: null, isSent: null }
          : null,
    knowsOrders: async () => true,
    sent: async (kind) => [loggedEventOf(kind, truth)],
  }
}

/** It has been tried often enough: what is not verified now is held. */
function claimed(pending: NewDelivery): ClaimedDelivery {
  const { flow, part, destination, urgency, entity, batch, once, effect = null } = pending
  const tried = { tries: 9, finds: 0, failingSince: null, firstTriedAt: null, open: false, released: null, crashes: 0 }
  return { id: 1, flow, part, destination, urgency, entity, batch, once, effect, ...tried }
}

function claimOf(event: Event, delivery: ClaimedDelivery): Claim {
  return { fence: 1, delivery, event, unchanged: false, stale: false, invalidated: null }
}

/** What left, so that two runs can be compared. */
export function digestOfLeft({ left, kept }: Ended): string {
  return digestOf([left, kept])
}
