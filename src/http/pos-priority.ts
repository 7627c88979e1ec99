/** Webhooks answered in one turn of the event loop while a POS waits. */
const ANSWERS_A_TURN = 4

/**
 * A commit answers many webhooks at once, whose senders return at once; a lookup, which takes several turns of the
 * event loop, would wait behind them each time.
 */
export function createPosPriority() {
  const answers: (() => void)[] = []
  let isUnderWay = false

  function answerSome(): void {
    for (const answer of answers.splice(0, priority.waiting > 0 ? ANSWERS_A_TURN : answers.length)) answer()
    isUnderWay = answers.length > 0
    if (isUnderWay) setImmediate(answerSome)
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
      answers.push(resolve)
      if (!isUnderWay) {
        isUnderWay = true
        setImmediate(answerSome)
      }
      return promise
    },
  }
  return priority
}

export type PosPriority = ReturnType<typeof createPosPriority>
