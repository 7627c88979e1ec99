import { effectAgain, partAgain, repeats } from '../domain/queue/sent-again.ts'
import type { Owed } from '../store/owed.ts'
import type { DeliveryDetail, DeliveryRow, EventDetail } from '../store/screens.ts'

/**
 * A delivery of its own that repeats one which was made: `step` is what today's config plans for it. `released`: the person who let the
 * first one go, who stands in the books.
 */
export function repeatOf(
  step: Owed,
  delivery: Pick<DeliveryRow, 'id' | 'part'>,
  event: Pick<EventDetail, 'deliveries'>,
  released: DeliveryDetail['released'] | undefined,
): Owed {
  const times = event.deliveries.filter((each) => repeats(each.part, delivery.id)).length
  const part = partAgain(delivery, times)
  return {
    ...step,
    part,
    // The copy stands in nobody's way.
    entity: null,
    effect: step.effect == null ? null : effectAgain(step.effect, part),
    effectOfNumber: null,
    ...(released && { released }),
    yields: true,
  }
}
