import { setTimeout as sleep } from 'node:timers/promises'
import type { BareLoopJob, BareLoopResult } from './bare-loop.ts'
import type { Baseline } from './baseline.ts'
import type { HubProcess } from './hub-process.ts'
import type { LiveAnswer, LiveQuestion } from './live.ts'
import type { LoadJob, LoadResult } from './load.ts'
import type { SinkAnswer, SinkQuestion } from './sink.ts'
import { startWorker } from './worker.ts'

/** Sends one load from a process of its own. */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  await using load = startWorker<LoadJob, LoadResult>(new URL('./load.ts', import.meta.url))
  return await load.ask(job)
}

export async function runBareLoop(job: BareLoopJob): Promise<BareLoopResult> {
  await using loop = startWorker<BareLoopJob, BareLoopResult>(new URL('./bare-loop.ts', import.meta.url))
  return await loop.ask(job)
}

export async function startBaseline(): Promise<Baseline & AsyncDisposable> {
  const server = startWorker<object, Baseline>(new URL('./baseline.ts', import.meta.url))
  return { ...(await server.ask({})), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Live webhooks from a process of its own: whoever serves long lists meanwhile would measure himself. */
export interface Live extends AsyncDisposable {
  /** Ends it; how long each took (milliseconds). */
  end(): Promise<number[]>
}

export async function startLive({ port, secrets }: Pick<HubProcess, 'port' | 'secrets'>, kind: string): Promise<Live> {
  const live = startWorker<LiveQuestion, LiveAnswer>(new URL('./live.ts', import.meta.url))
  await live.ask({ port, webhookToken: secrets.WEBHOOK_TOKEN, kind })
  return {
    end: async () => (await live.ask({ end: true })).latencies,
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  }
}

/** Loopback receivers in a process of their own. */
export interface Sink extends AsyncDisposable {
  ports: number[]
  counts(): Promise<SinkAnswer>
  arrivals(): Promise<SinkAnswer>
  /** Waits until each receiver has so many different events. */
  until(unique: number, within: { seconds: number }): Promise<SinkAnswer>
}

/** One receiver each; `true` for one that never answers. */
export async function startSink(hang: boolean[] = [false]): Promise<Sink> {
  const sink = startWorker<SinkQuestion, SinkAnswer>(new URL('./sink.ts', import.meta.url))
  const { ports } = await sink.ask({ ask: 'open', hang })
  return {
    ports,
    counts: () => sink.ask({ ask: 'counts' }),
    arrivals: () => sink.ask({ ask: 'arrivals' }),
    async until(unique, { seconds }) {
      const deadline = performance.now() + seconds * 1000
      for (;;) {
        const counts = await sink.ask({ ask: 'counts' })
        if (counts.unique.every((count) => count >= unique)) return counts
        if (performance.now() > deadline) {
          throw new Error(`After ${seconds} s the sink has ${counts.unique} of ${unique} events.`)
        }
        await sleep(25)
      }
    },
    [Symbol.asyncDispose]: () => sink[Symbol.asyncDispose](),
  }
}
