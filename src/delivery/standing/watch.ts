import { Worker } from 'node:worker_threads'
import type { Asked, Stood, Told, WatchData } from './watch-thread.ts'

/** The main thread's side of the one that watches its loop. */
export interface Watch {
  /** Resolves when the loop is watched, or the watcher has ended. */
  watching: Promise<void>
  /** Tells the watcher that these were acted on. */
  settled(deliveries: number[]): void
  /** The loop stood still, and turns again. */
  onStood(listener: (stood: Stood) => void): void
  /** The note could not be written. */
  onNotNoted(listener: (problem: string) => void): void
  onError(listener: (error: unknown) => void): void
  stop(): Promise<void>
}

/** The loop beats so often in the time that it may stand still. */
const BEATS = 10

/** The watcher needs little. */
const SMALL = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 }

/** Watches the loop from a thread of its own. `beat`: says that the loop turns. */
export function startWatch(data: WatchData, beat: () => void): Watch {
  const thread = new Worker(new URL('./watch-thread.ts', import.meta.url), { workerData: data, resourceLimits: SMALL })
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const watching = Promise.withResolvers<void>()
  void ended.then(watching.resolve)
  const beating = setInterval(beat, data.limit / BEATS)
  const ask = (asked: Asked) => thread.postMessage(asked)
  const onTold = (listener: (told: Told) => void) => void thread.on('message', listener)
  onTold((told) => {
    if (told === 'watching') watching.resolve()
  })

  return {
    watching: watching.promise,
    settled: (deliveries) => ask({ settled: deliveries }),
    onStood: (listener) => onTold((told) => typeof told === 'object' && 'stood' in told && listener(told)),
    onNotNoted: (listener) => onTold((told) => typeof told === 'object' && 'problem' in told && listener(told.problem)),
    onError: (listener) => void thread.on('error', listener),
    async stop() {
      clearInterval(beating)
      ask('stop')
      await ended
    },
  }
}

/** No watcher: nothing is ever told. */
export const NOBODY: Watch = {
  watching: Promise.resolve(),
  settled() {},
  onStood() {},
  onNotNoted() {},
  onError() {},
  async stop() {},
}
