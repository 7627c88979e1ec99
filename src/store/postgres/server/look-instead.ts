/** Milliseconds. */
const EVERY = 5_000

/** Behind a pooler there is no LISTEN: notices count as lost every while. */
export function lookInstead(heard: (payload: null) => void): AsyncDisposable {
  const timer = setInterval(() => heard(null), EVERY)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
    },
  }
}
