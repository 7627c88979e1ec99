/** Webhooks answered in one turn while a POS waits. */
const AT_ONCE = 4

/**
 * A commit answers many webhooks at once, whose senders return at once; a lookup, which takes several turns of the
 * event loop, would wait behind them each time.
 */
export function createTillPriority() {
  const crowd: (() => void)[] = []
  let tills = 0
  let moving = false

  function move(): void {
    for (const go of crowd.splice(0, tills > 0 ? AT_ONCE : crowd.length)) go()
    moving = crowd.length > 0
    if (moving) setImmediate(move)
  }

  return {
    async during<T>(question: () => Promise<T>): Promise<T> {
      tills += 1
      try {
        return await question()
      } finally {
        tills -= 1
      }
    },

    /** Null: at once. */
    turn(): Promise<void> | null {
      if (tills === 0) return null
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

export type TillPriority = ReturnType<typeof createTillPriority>
