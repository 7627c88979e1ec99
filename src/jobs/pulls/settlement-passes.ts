import { z } from 'zod'
import { addDays } from '../../domain/values/day.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import { daysOf } from '../../platform/odata/window.ts'
import { beginOf, type LookBack, later } from './days.ts'
import { Held } from './held.ts'
import { passesOf } from './passes.ts'
import type { Todays } from './store-days.ts'

export type PassState = z.output<typeof PassState>

export const PassState = z.object({
  /** Every day since this one was asked for. */
  begin: z.iso.date(),
  /** All passes of the days before are made. */
  from: z.iso.date(),
  /** When each day since was asked for last. */
  asked: z.record(z.string(), z.number()),
  /** Days of which settlements could not be read. */
  held: Held.default({}),
})

/**
 * The state that a run begins with. Passes that are said to be made and are still to come were made by a clock that was ahead: days
 * are asked for again from as far back as a first run looks.
 */
export function startPasses(
  left: PassState | null,
  { last }: Todays,
  back: LookBack,
  { zones, now }: { zones: readonly string[]; now: Instant },
): PassState {
  const begin = beginOf(left?.begin ?? null, last, back)
  const made = Object.entries(left?.asked ?? {}).filter(([, at]) => !isStillToCome(at, now))
  const asked = Object.fromEntries(made)
  if (left === null || begin !== left.begin) return { begin, from: begin, asked, held: left?.held ?? {} }
  const isAhead = isStillToCome(lastPass(addDays(left.from, -1), zones), now)
  const from = isAhead ? later(begin, addDays(last, -back.days)) : left.from
  return { ...left, from, asked }
}

/** The days of which a pass has come due since they were asked for: each once, however many have. */
export function dueDays({ from, asked }: PassState, { last }: Todays, zones: readonly string[], now: Instant) {
  const isDue = (day: string) => {
    const before = asked[day] ?? Number.NEGATIVE_INFINITY
    return zones.some((zone) => passesOf(day, zone).some((pass) => pass <= now && pass > before))
  }
  return daysOf({ from, to: last }).filter(isDue)
}

/** As far as a first run looks back, with today. */
export function recentDays({ last }: Todays, { days }: LookBack): string[] {
  return daysOf({ from: addDays(last, -days), to: last })
}

/** The state without days that need not be asked for any more. */
export function withoutOver({ begin, from, asked, held }: PassState, zones: readonly string[]): PassState {
  let day = from
  while (lastPass(day, zones) <= (asked[day] ?? 0)) day = addDays(day, 1)
  const since = (days: Record<string, number>) => Object.fromEntries(Object.entries(days).filter(([one]) => one >= day))
  return { begin, from: day, asked: since(asked), held: since(held) }
}

function lastPass(day: string, zones: readonly string[]): Instant {
  return Math.max(...zones.flatMap((zone) => passesOf(day, zone)))
}
