import fc from 'fast-check'
import { play } from './play.ts'
import { AnyWindow, Steps } from './steps.ts'

const Calls = fc.integer({ min: 1, max: 5 })

/** Throws with the shortest steps after which a queue and its model differ. `atLeast`: so many steps are tried. */
export function compareWithModel(seed: number, atLeast: number): void {
  let taken = 0
  const property = fc.property(AnyWindow, Steps(200), Calls, (window, steps, calls) => {
    taken += steps.length
    play(window, steps, calls)
  })
  for (let more = 0; taken < atLeast; more += 1) fc.assert(property, { seed: seed + more, numRuns: 10 })
}
