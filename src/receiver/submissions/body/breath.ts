import { setImmediate } from 'node:timers/promises'

/** How long one request's work may keep others waiting (milliseconds). */
const BREATH = 3

/** Lets others of the process have their turn, in work that takes long. */
export function createBreath() {
  let since = performance.now()
  return {
    isDue: () => performance.now() - since > BREATH,
    async now() {
      await setImmediate()
      since = performance.now()
    },
  }
}
