/** How often notices are taken to have been lost (milliseconds). Lanes are looked at every second besides. */
const EVERY = 5_000

/** Where nobody can listen, each while some notices may have been lost. */
export function lookInstead(heard: (payload: null) => void): AsyncDisposable {
  const timer = setInterval(() => heard(null), EVERY)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
    },
  }
}
