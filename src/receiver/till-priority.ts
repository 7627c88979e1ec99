/** The most webhooks that are answered in one turn of the event loop while a till waits. */
const AT_ONCE = 4

/**
 * Lets tills go before webhooks. A commit answers all of its webhooks in one breath, and their senders come back with the next
 * ones in one breath, too; a till's question, which takes several turns of the event loop, would stand behind such a
 * crowd at each of them. So while one is under way, webhooks are answered a few a turn. Nothing is refused, and
 * nothing waits once no till does.
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
    /** A till waits until this is over. */
    async during<T>(question: () => Promise<T>): Promise<T> {
      tills += 1
      try {
        return await question()
      } finally {
        tills -= 1
      }
    },

    /** A webhook's turn to be answered; null: at once. */
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
