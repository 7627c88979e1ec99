/** Webhooks answered in one turn while a POS waits. */
const CONCURRENCY = 4

/**
 * A commit answers many webhooks at once, whose senders return at once; a lookup, which takes several turns of the
 * event loop, would wait behind them each time.
 */
export function createPosPriority() {
  const crowd: (() => void)[] = []
  let posList = 0
  let moving = false

  function move(): void {
    for (const go of crowd.splice(0, posList > 0 ? CONCURRENCY : crowd.length)) go()
    moving = crowd.length > 0
    if (moving) setImmediate(move)
  }

  return {
    async during<T>(question: () => Promise<T>): Promise<T> {
      posList += 1
      try {
        return await question()
      } finally {
        posList -= 1
      }
    },

    /** Null: at once. */
    turn(): Promise<void> | null {
      if (posList === 0) return null
      const { promise, resolve } = Promise.withResolvers<void>()
      crowd.push(resolve)
      if (!moving) {
        moving = true
        setImmediate(move)
      }
      return promise
    },
  }
}

export type PosPriority = ReturnType<typeof createPosPriority>
