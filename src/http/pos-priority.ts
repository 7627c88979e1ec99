/** Webhooks answered in one turn while a POS waits. */
const CONCURRENCY = 4

/**
 * A commit answers many webhooks at once, whose senders return at once; a lookup, which takes several turns of the
 * event loop, would wait behind them each time.
 */
export function createPosPriority() {
  const crowd: (() => void)[] = []
  let moving = false

  function move(): void {
    for (const go of crowd.splice(0, priority.waiting > 0 ? CONCURRENCY : crowd.length)) go()
    moving = crowd.length > 0
    if (moving) setImmediate(move)
  }

  const priority = {
    /** POS lookups that are not answered yet. */
    waiting: 0,

    async during<T>(question: () => Promise<T>): Promise<T> {
      priority.waiting += 1
      try {
        return await question()
      } finally {
        priority.waiting -= 1
      }
    },

    /** Null: at once. */
    turn(): Promise<void> | null {
      if (priority.waiting === 0) return null
      const { promise, resolve } = Promise.withResolvers<void>()
      crowd.push(resolve)
      if (!moving) {
        moving = true
        setImmediate(move)
      }
      return promise
    },
  }
  return priority
}

export type PosPriority = ReturnType<typeof createPosPriority>
