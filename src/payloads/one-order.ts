import { ofOneOrder } from '../domain/orders/order-facts.ts'
import { platformIdOf } from './order-update.ts'

/*
 * A number may be of two orders, and the platform's id tells them apart. What an update calls for and proves is therefore
 * named by both. It goes by the number alone as well: events that do not tell the id, and what was kept before, have only that.
 */

interface Event {
  payload: unknown
}

/** The names of facts in a step. */
interface Named {
  effect?: string
  effectOfNumber?: string
  unless?: readonly string[]
}

/** Steps whose effects are those of the one order. */
export function stepsOfOne<E extends Event, Step extends Named>(plan: (event: E) => Step[]): (event: E) => Step[] {
  return (event) => {
    const platformId = platformIdOf(event.payload)
    const steps = plan(event)
    return platformId === null ? steps : steps.map((step) => stepOfOne(step, platformId))
  }
}

/** Facts that are proven of the one order, and of its number. */
export function factsOfOne<E extends Event>(proves: (event: E) => string[]): (event: E) => string[] {
  return (event) => {
    const platformId = platformIdOf(event.payload)
    const facts = proves(event)
    return platformId === null ? facts : [...facts, ...facts.map((fact) => ofOneOrder(fact, platformId))]
  }
}

function stepOfOne<Step extends Named>(step: Step, platformId: string): Step {
  const { effect, unless = [] } = step
  const own = unless.map((fact) => ofOneOrder(fact, platformId))
  return {
    ...step,
    ...(effect !== undefined && { effect: ofOneOrder(effect, platformId), effectOfNumber: effect }),
    unless: [...own, ...unless],
  }
}
