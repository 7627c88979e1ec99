/** npm forwards the terminal's signal again (ms). */
const SAME = 1_000
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export function listenForInterrupt(): Disposable & { signal: AbortSignal; exitCode: 130 | 143 } {
  const controller = new AbortController()
  const listening = { signal: controller.signal, exitCode: 130 as 130 | 143 }
  let first: number | null = null
  const stop = (name: NodeJS.Signals) => {
    if (first === null) {
      first = performance.now()
      if (name === 'SIGTERM') listening.exitCode = 143
      controller.abort()
    } else if (performance.now() - first > SAME) {
      end()
      process.kill(process.pid, name)
    }
  }
  const end = () => {
    for (const name of SIGNALS) process.off(name, stop)
  }
  for (const name of SIGNALS) process.on(name, stop)
  // The forwarded signal may come after the end.
  const endLater = () => (first === null ? end() : void setTimeout(end, SAME).unref())
  return Object.assign(listening, { [Symbol.dispose]: endLater })
}
