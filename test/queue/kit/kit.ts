import { fileURLToPath } from 'node:url'
import type { OutageView } from '../../../src/admin/health.ts'
import type { Failing } from '../../../src/domain/queue/queue-key.ts'
import type { Flow } from '../../../src/flows/flow.ts'
import { publish } from '../../../src/flows/publish.ts'
import type { Ports, PublishPort } from '../../../src/ports/ports.ts'
import type { DeliveryDetail, DeliveryRow } from '../../../src/storage/rows.ts'
import type { TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { sale, stockMovement } from '../../fixtures/payloads.ts'
import { busTo, startTestHub, type TestHub } from '../../hub.ts'
import type { Sink } from '../../sink.ts'

export const GIVEN = fileURLToPath(new URL('./given.ts', import.meta.url))

export { DAY, HOUR, MINUTE, SECOND } from '../../storage/acting.ts'

/** No jitter: every delay is exactly what the schedule says. */
export const middle = () => 0.5

/** A destination with an adapter of the test's own. */
export function through(port: PublishPort, more: object = {}) {
  return { adapter: GIVEN, ports: { publish: port } satisfies Ports, ...more }
}

/** A hub that sends everything to this sink, under the name bus. */
export function hubTo(sink: Pick<Sink, 'url'>, clock?: TestClock): Promise<TestHub> {
  return hubWith({ bus: busTo(sink.url) }, clock)
}

/** A hub with these destinations. On a clock of the test's own, every delay is exactly what the schedule says. */
export function hubWith(destinations: Record<string, { adapter: string }>, clock?: TestClock): Promise<TestHub> {
  return startTestHub({ destinations, ...(clock && { clock, random: middle }) })
}

export function hubOf(
  flows: Flow[],
  destinations: Record<string, { adapter: string }>,
  clock?: TestClock,
): Promise<TestHub> {
  return startTestHub({ flows, destinations, ...(clock && { clock, random: middle }) })
}

/** A flow of the test's own beside `publish`: every sale, on the publish port. */
export function flowOf(name: string, more: Partial<Flow> = {}): Flow {
  return { ...publish, name, kinds: ['SaleCreated'], ...more }
}

export function saleNo(receiptNo: number | string) {
  return sale({ receiptNo: String(receiptNo) })
}

/** Movements of one article are about the same entity. */
export function movement(movementId: number, article: string) {
  return stockMovement({ movementId, gtin: article })
}

export async function deliveriesOf(hub: TestHub, filter = ''): Promise<DeliveryRow[]> {
  const { body } = await hub.admin<{ deliveries: DeliveryRow[] }>(`deliveries?limit=500${filter && `&${filter}`}`)
  return body.deliveries.reverse()
}

export async function deliveryOf(hub: TestHub, id: number): Promise<DeliveryDetail> {
  return (await hub.admin<DeliveryDetail>(`deliveries/${id}`)).body
}

/** Waits until a delivery stands so; releases it with its attempts. */
export function untilDelivery(hub: TestHub, id: number, check: (delivery: DeliveryDetail) => boolean) {
  return eventually(async () => {
    const delivery = await deliveryOf(hub, id)
    if (!check(delivery)) throw new Error(`delivery ${id} stands otherwise: ${JSON.stringify(delivery)}`)
    return delivery
  })
}

/** Waits until every delivery is in this state, and releases them. */
export function untilAll(hub: TestHub, state: DeliveryRow['state'], count: number) {
  return eventually(async () => {
    const rows = await deliveriesOf(hub)
    const there = rows.filter((row) => row.state === state)
    if (there.length !== count || rows.length !== count)
      throw new Error(`${there.length} of ${rows.length} are ${state}, not ${count}`)
    return there
  })
}

interface Status {
  destinations: {
    name: string
    urgency: string
    waiting: number
    held: number
    dead: number
    inFlight: number
    outage: OutageView | null
    failing: Failing | null
    callsPerSecond: number | null
    configured: boolean
  }[]
}

/** What the operators' status says of a destination's prompt queue. */
export async function statusOf(hub: TestHub, name = 'bus') {
  const { body } = await hub.admin<Status>('status')
  const found = body.destinations.find((one) => one.name === name)
  if (!found) throw new Error(`no destination ${name} in ${JSON.stringify(body)}`)
  return found
}

/** Waits until a destination is down for so many failures in a row (0: in none), with nothing under way. */
export function untilOutage(hub: TestHub, failures: number, name = 'bus') {
  return eventually(async () => {
    const { outage, inFlight } = await statusOf(hub, name)
    if ((outage?.failures ?? 0) !== failures || inFlight > 0)
      throw new Error(`not ${failures} failures: ${JSON.stringify({ outage, inFlight })}`)
    return outage
  })
}

/** Messages that the hub logged with this word, with their facts. */
export function logged(hub: TestHub, message: string) {
  return hub.lines.filter(({ msg }) => msg === message)
}

export const LEVEL = { info: 30, warn: 40, error: 50 }
