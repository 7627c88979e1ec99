import { type Response, Router } from 'express'
import { z } from 'zod'
import { readRecipient } from '../../domain/people/customer-query.ts'
import { partAgain, repeats } from '../../domain/queue/delivery.ts'
import { UserError } from '../../domain/values/errors.ts'
import { maskedAddress, notThere } from '../../domain/values/text.ts'
import type { Flow } from '../../flows/flow.ts'
import type { DeliveryDetail, DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { Acts } from '../acts.ts'
import { notFound, operatorOf } from '../asking.ts'
import { parse, Reason, requireReason, wholeId } from '../filters.ts'
import { createRecipients, shownAddress } from './recipients.ts'

interface Options {
  store: Pick<Store, 'delivery' | 'event' | 'events' | 'owe'>
  flows: readonly Flow[]
  destinations: readonly string[]
  acts: Acts
}

/** A delivery that sends one of before once more. */
export interface SentAgain {
  /** The new one; null: a dry run. */
  delivery: DeliveryRow | null
  again: number
  /** Masked. */
  to: string | null
  act: number | null
}

const deliveryId = wholeId('a delivery', 'deliveries list')
const Shown = z.strictObject({ reveal: z.stringbool().default(false) })
const Again = z.strictObject({ to: z.string().max(254).optional(), reason: Reason, dryRun: z.boolean().default(false) })

/** States of a message that has ended; one in another state is sent by itself, or waits for `retry` or `release`. */
const ENDED = ['delivered', 'superseded', 'skipped', 'dead']

/** `/admin/deliveries/{id}`: one delivery, with whom a message went to; and a message once more. */
export function createMessagesAdmin({ store, flows, destinations, acts }: Options): Router {
  const router = Router()
  const recipients = createRecipients({ store, flows })

  router.get('/:id', async (request, response) => {
    const delivery = await found(request.params.id, response)
    if (!delivery) return
    const { reveal } = parse(Shown, request.query)
    if (reveal) await acts.note(request, { action: 'reveal', selection: { delivery: delivery.id } }, [delivery.id])
    const recipient = await recipients.of(delivery)
    response.json(shown(delivery, recipient, reveal))
  })

  router.post('/:id/send-again', acts.of('send-again'), async (request, response) => {
    const delivery = await found(String(request.params.id), response)
    if (!delivery) return
    const { to, dryRun, reason } = parse(Again, request.body)
    requireReason({ dryRun, reason })
    const port = recipients.portOf(delivery)
    if (port === null) throw new UserError(`Delivery ${delivery.id} is no message: ${delivery.flow} sends none.`)
    if (!ENDED.includes(delivery.state))
      throw new UserError(`Delivery ${delivery.id} is ${delivery.state}: it was not sent yet. Use "deliveries retry".`)
    if (!destinations.includes(delivery.destination))
      throw new UserError(`Config has no destination "${delivery.destination}" any more.`)
    const address = to === undefined ? undefined : readRecipient(to, port)
    if (address === null)
      throw new UserError(
        `to: ${port === 'email' ? 'expected an e-mail address' : 'expected a phone number with its country, such as +47…'}.`,
      )
    const recipient = address ?? delivery.released?.to ?? (await recipients.of(delivery))
    const masked = recipient && maskedAddress(recipient)
    if (dryRun) return void response.json({ delivery: null, again: delivery.id, to: masked, act: null })

    const event = await store.event(delivery.event)
    const times = event?.deliveries.filter(({ part }) => repeats(part, delivery.id)).length ?? 0
    const part = partAgain(delivery, times)
    const asked = { delivery: delivery.id, to: address === undefined ? null : maskedAddress(address) }
    const act = await acts.note(request, { action: 'send-again', selection: asked, reason }, [delivery.id])
    const sent = address ?? delivery.released?.to
    const by = { by: operatorOf(request), reason: reason ?? '', ...(sent !== undefined && { to: sent }) }
    await store.owe(delivery.event, [stepOf(delivery, part, by)], act)
    const owed = (await store.event(delivery.event))?.deliveries.find((one) => one.part === part)
    response.json({ delivery: owed ?? null, again: delivery.id, to: masked, act } satisfies SentAgain)
  })
  return router

  async function found(id: string, response: Response): Promise<DeliveryDetail | null> {
    const delivery = await store.delivery(parse(deliveryId, id))
    if (!delivery) notFound(response, notThere('delivery', id))
    return delivery
  }
}

function stepOf(
  { flow, destination, urgency }: DeliveryRow,
  part: string,
  released: { by: string; reason: string; to?: string },
) {
  const alone = { entity: null, notBefore: null, batch: null, digest: null, latestWins: false, force: false }
  return { ...alone, flow, part, destination, urgency, once: true, released }
}

function shown(delivery: DeliveryDetail, recipient: string | null, reveal: boolean) {
  const { released } = delivery
  return {
    ...delivery,
    released: released?.to === undefined ? released : { ...released, to: shownAddress(released.to, reveal) },
    recipient: shownAddress(recipient, reveal),
  }
}
