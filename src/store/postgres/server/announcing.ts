import { type Lane, nameOfLane } from '../../../domain/queue/lane.ts'

/** Throttle: passes lanes on at once, then at most every `every` ms; per-commit notices would only keep hubs busy. */
export function createAnnouncing(
  announce: (lanes: Lane[]) => unknown,
  every: number,
): Disposable & ((lanes: readonly Lane[]) => void) {
  const gathered = new Map<string, Lane>()
  let timer: NodeJS.Timeout | null = null

  function pass() {
    timer = null
    if (gathered.size === 0) return
    const lanes = [...gathered.values()]
    gathered.clear()
    timer = setTimeout(pass, every)
    timer.unref()
    announce(lanes)
  }

  const tell = (lanes: readonly Lane[]) => {
    for (const lane of lanes) gathered.set(nameOfLane(lane), lane)
    if (!timer) pass()
  }
  return Object.assign(tell, {
    [Symbol.dispose]() {
      if (timer) clearTimeout(timer)
      timer = null
      gathered.clear()
    },
  })
}
