import { isAgain } from '../../domain/queue/delivery.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import { maskedAddress } from '../../domain/values/text.ts'
import type { Flow } from '../../flows/flow.ts'
import { customerIn, recipientIn } from '../../payloads/customer.ts'
import type { DeliveryDetail, DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'

interface Options {
  store: Pick<Store, 'delivery' | 'event' | 'events'>
  flows: readonly Flow[]
}

/** A delivery of a list. */
export interface ListedDelivery extends DeliveryRow {
  /** The person whom its message goes or went to, masked unless asked for in full; null: no message, or nobody knows. */
  recipient: string | null
}

/** Recipients of messages, for people who look. */
export function createRecipients({ store, flows }: Options) {
  /** The sort of message that a delivery sends; null: it is none. */
  function portOf({ flow }: Pick<DeliveryRow, 'flow'>): 'email' | 'texts' | null {
    const port = flows.find(({ name }) => name === flow)?.port
    return port === 'email' || port === 'texts' ? port : null
  }

  /** As far as the hub itself was told: of an order that another system placed, its shop knows. */
  async function of(delivery: DeliveryRow & Partial<Pick<DeliveryDetail, 'released'>>): Promise<string | null> {
    const port = portOf(delivery)
    if (port === null) return null
    if (delivery.released?.to !== undefined) return delivery.released.to
    const event = await store.event(delivery.event)
    const named = recipientIn(payloadOrNull(event?.body ?? null))
    if (named !== null || event?.entity == null) return named
    for (const { id, kind } of await store.events({ entity: event.entity, kind: 'OrderSubmitted', limit: 1 }))
      if (kind === 'OrderSubmitted') return customerIn(payloadOrNull((await store.event(id))?.body ?? null), port)
    return null
  }

  /** Rows of a list with their recipients, one after the other: a body each is read. */
  async function listed(rows: readonly DeliveryRow[], reveal: boolean): Promise<ListedDelivery[]> {
    const known: ListedDelivery[] = []
    for (const row of rows) {
      // A message that was sent once more may have gone elsewhere; of the others the row says enough.
      const whole = portOf(row) !== null && isAgain(row.part) ? await store.delivery(row.id) : null
      known.push({ ...row, recipient: shownAddress(await of(whole ?? row), reveal) })
    }
    return known
  }

  return { portOf, of, listed }
}

/** An address as it is shown. */
export function shownAddress(address: string | null, reveal: boolean): string | null {
  return address === null || reveal ? address : maskedAddress(address)
}
