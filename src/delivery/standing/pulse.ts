/** The watcher's view of the main thread, and when by its own clock (milliseconds, monotonic). */
export interface Pulse {
  at: number
  beat: number
  turn: number
}

/** How long the main thread has not turned, as far as the watcher itself was there to see it (milliseconds). */
export interface Stillness {
  last: Pulse
  /** Since its last beat. */
  still: number
  /** Since it took anything in hand, or laid it down. */
  unmoved: number
  /** The stretch that has just ended; 0: none has. */
  ended: number
}

export function begin(first: Pulse): Stillness {
  return { last: first, still: 0, unmoved: 0, ended: 0 }
}

/**
 * The next look, `tick` after the one before. Where that took much longer, the watcher stood still too, with its machine or
 * for want of a processor: such time says nothing about the main thread.
 */
export function look({ last, still, unmoved }: Stillness, next: Pulse, tick: number): Stillness {
  if (next.beat !== last.beat) return { last: next, still: 0, unmoved: 0, ended: still }
  const passed = Math.min(next.at - last.at, 2 * tick)
  return { last: next, still: still + passed, unmoved: next.turn === last.turn ? unmoved + passed : 0, ended: 0 }
}
