import { setTimeout as pause } from 'node:timers/promises'

/** How soon a state is looked at again (milliseconds): at first, and after a while, since each look takes work from what it waits for. */
const SOON = 5
const LATER = 25

/**
 * Waits until a check passes: it throws nothing and gives anything but `false`. Gives back what the check gave. Fails
 * with the check's own complaint after `within` milliseconds.
 */
export async function eventually<T>(check: () => T | Promise<T>, within = 60_000): Promise<Exclude<Awaited<T>, false>> {
  const end = performance.now() + within
  for (let pauseFor = SOON; ; pauseFor = Math.min(pauseFor * 1.3, LATER)) {
    let complaint: unknown
    try {
      const found = await check()
      if (found !== false) return found as Exclude<Awaited<T>, false>
      complaint = new Error(`This did not come true: ${check}`)
    } catch (error) {
      complaint = error
    }
    if (performance.now() > end) throw complaint
    await pause(pauseFor)
  }
}
