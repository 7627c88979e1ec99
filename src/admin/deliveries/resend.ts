import { Router } from 'express'
import { z } from 'zod'
import { UserError } from '../../domain/values/errors.ts'
import { notThere } from '../../domain/values/text.ts'
import type { Owed } from '../../store/owed.ts'
import type { DeliveryDetail, DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import type { Acts } from '../acts.ts'
import { notFound } from '../asking.ts'
import { parse, Reason, requireReason, wholeId } from '../filters.ts'

interface Options {
  store: Pick<Store, 'delivery' | 'event' | 'owe' | 'gaps'>
  resendOf(delivery: DeliveryDetail): Promise<Owed>
  acts: Acts
}

/** A delivery that gives once more what its destination has lost. */
export interface Resent {
  /** The new one; null: a dry run. */
  delivery: DeliveryRow | null
  again: number
  act: number | null
}

const deliveryId = wholeId('a delivery', 'deliveries list')
const Asked = z.strictObject({ reason: Reason, dryRun: z.boolean().default(false) })

/** `/admin/deliveries/{id}/resend`: what a destination has acknowledged, and has no more, is given to it once more. */
export function createResendAdmin({ store, resendOf, acts }: Options): Router {
  const router = Router()
  router.post('/:id/resend', acts.of('resend'), async (request, response) => {
    const delivery = await store.delivery(parse(deliveryId, request.params.id))
    if (!delivery) return notFound(response, notThere('delivery', String(request.params.id)))
    const { dryRun, reason } = parse(Asked, request.body)
    requireReason({ dryRun, reason })
    await requireLacking(delivery)
    const step = await resendOf(delivery)
    if (dryRun) return void response.json({ delivery: null, again: delivery.id, act: null } satisfies Resent)
    const selection = { delivery: delivery.id }
    const act = await acts.note(request, { action: 'resend', selection, reason, changed: 1 }, [delivery.id])
    await store.owe(delivery.event, [step], act)
    const owed = (await store.event(delivery.event))?.deliveries.find(({ part }) => part === step.part)
    response.json({ delivery: owed ?? null, again: delivery.id, act } satisfies Resent)
  })
  return router

  /** Whoever gives something a second time has to know that it is not there: a second order, or voucher, is worse than none. */
  async function requireLacking({ id, destination, flow, state }: DeliveryDetail): Promise<void> {
    if (state !== 'delivered')
      throw new UserError(`Delivery ${id} is ${state}: it was not acknowledged yet. Use "deliveries retry".`)
    const open = await allGaps(store, { road: 'destination', destination, state: 'open' })
    const causes = open.filter(({ evidence }) => evidence.destination?.delivery === id).map(({ cause }) => cause)
    const isBook = flow.startsWith('book-')
    if (causes.includes('not-there') || (isBook && causes.includes('other-amount'))) return
    throw new UserError(
      `Delivery ${id}: no open gap says that ${destination} lacks it. Ask first: tillbridge jobs run compare-destinations`,
    )
  }
}
