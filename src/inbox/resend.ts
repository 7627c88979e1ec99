import { partOf } from '../domain/queue/sent-again.ts'
import { UserError } from '../domain/values/errors.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { DeliveryDetail } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { misfitOfSteps } from './names-that-fit.ts'
import { repeatOf } from './repeat.ts'
import { plannedAgain } from './reroute.ts'
import type { Route } from './route.ts'

interface Tools {
  store: Pick<Store, 'event'>
  route: Route
  mappings: Mappings
}

/** The delivery that gives a destination once more what it has lost. Throws a UserError where it cannot be made any more. */
export async function resendOf(delivery: DeliveryDetail, { store, route, mappings }: Tools): Promise<Owed> {
  const { id, destination, flow, part, released } = delivery
  const event = await store.event(delivery.event)
  if (!event?.body) throw new UserError(`Delivery ${id} cannot be made again: its payload is not kept any more.`)
  const steps = route(plannedAgain(event, event.body, mappings))
  const step = steps.find((one) => one.destination === destination && one.flow === flow && one.part === partOf(part))
  if (!step)
    throw new UserError(
      `Delivery ${id} cannot be made again: today's config gives "${destination}" nothing of ${flow}.`,
    )
  const misfit = misfitOfSteps([step])
  if (misfit !== null) throw new UserError(`Delivery ${id} cannot be made again: ${misfit}.`)
  return repeatOf(step, delivery, event, released)
}
