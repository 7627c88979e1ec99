import { untilAborted } from './transport.ts'

/** Lets so many do their work at once; the others wait in line. */
export function createTurns(atOnce: number) {
  const line: (() => void)[] = []
  let free = atOnce

  async function begin(signal: AbortSignal): Promise<void> {
    if (free > 0) {
      free--
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    line.push(resolve)
    try {
      await untilAborted(signal, () => promise)
    } catch (error) {
      const place = line.indexOf(resolve)
      // The turn was called in the same moment: it goes to the next.
      if (place === -1) end()
      else line.splice(place, 1)
      throw error
    }
  }

  function end(): void {
    const next = line.shift()
    if (next) next()
    else free++
  }

  return {
    async take<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
      await begin(signal)
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
