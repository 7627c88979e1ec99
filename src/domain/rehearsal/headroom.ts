import { nameOfEffect } from './order-kept.ts'
import { percentile } from './percentile.ts'
import type { OwedThere, Performed, Witnessed } from './witnessed.ts'

/** How a destination fared. */
export interface Headroom {
  destination: string
  effects: number
  calls: number
  /** A call took so long (median, milliseconds). */
  ms: number
  /** The longest call (milliseconds). */
  longest: number
  /** The most that an effect was behind its event (milliseconds), without its own call. */
  behind: number
  /** How many times the real day would keep its calls busy in the busiest minute; null: nothing went there. */
  carries: number | null
}

/** A minute of the real day, and so much work a call slot can do in one (milliseconds). */
const MINUTE = 60_000

/**
 * How each shadow destination fared at so many times the speed of the day, and how many times the day it would carry: by what
 * the events of the busiest minute asked of it, in calls of the length that they had, and how many it makes at once.
 */
export function headroom(
  { owed, performed, destinations }: Pick<Witnessed, 'owed' | 'performed' | 'destinations'>,
  speed: number,
): Headroom[] {
  const byName = new Map(owed.map((one) => [nameOfEffect(one), one]))
  return destinations.map(({ name, concurrency }) => {
    const effects = performed.filter(({ destination }) => destination === name)
    const calls = new Map(effects.map((one) => [one.call, one.ms]))
    const busiest = busiestMinute(effects, byName, speed)
    return {
      destination: name,
      effects: effects.length,
      calls: calls.size,
      ms: Math.round(percentile([...calls.values()], 0.5)),
      longest: effects.reduce((most, one) => Math.max(most, one.ms), 0),
      behind: effects.reduce((most, one) => Math.max(most, behindOf(one, byName)), 0),
      carries: busiest === 0 ? null : rounded((concurrency * MINUTE) / busiest),
    }
  })
}

/** The work that the events of a minute asked for, where it was the most (milliseconds of calls). */
function busiestMinute(effects: readonly Performed[], byName: ReadonlyMap<string, OwedThere>, speed: number): number {
  const work = new Map<number, number>()
  for (const one of effects) {
    const event = byName.get(nameOfEffect(one))
    if (!event) continue
    const minute = Math.floor(event.receivedAt / (MINUTE / speed))
    work.set(minute, (work.get(minute) ?? 0) + one.ms / one.together)
  }
  return [...work.values()].reduce((most, ms) => Math.max(most, ms), 0)
}

function behindOf(effect: Performed, byName: ReadonlyMap<string, OwedThere>): number {
  const event = byName.get(nameOfEffect(effect))
  return event ? Math.max(0, Math.round(effect.at - event.receivedAt)) : 0
}

/** Two digits: it is an estimate. */
function rounded(times: number): number {
  return times >= 10 ? Math.round(times) : Math.round(times * 10) / 10
}
