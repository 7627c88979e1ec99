import type { KnownStore } from '../domain/places/store-index.ts'
import type { JsonLimits } from '../lib/json-shape.ts'
import { createOneByOne } from '../lib/one-by-one.ts'
import { startThread, type Thread } from '../lib/thread.ts'
import { type Mappings, NO_MAPPINGS } from '../payloads/mapping/mapping.ts'
import type { Arrival } from '../store/arrival.ts'
import { completesBody, type Reader } from './reader.ts'
import type { ReaderData } from './reader-thread.ts'
import { type Read, unread } from './reading.ts'
import type { Routable } from './route.ts'

interface Options {
  /** Reads what is small. */
  read: Read
  routables: readonly Routable[]
  limits: JsonLimits
  /** Where config says that fields of payloads stand. */
  mappings?: Mappings
  /** The platform's stores, as they are known at the moment. */
  stores: () => readonly KnownStore[]
  /** How long reading one body may take (milliseconds). */
  patience?: number
}

/** A larger body is read in another thread (bytes): to read this much keeps others waiting for a few milliseconds. */
const LARGE = 256 * 1024

/** Memory of what is read there (megabytes): a body within the limits needs a fifth of it. */
const HEAP = { youngMb: 8, oldMb: 160 }

const PATIENCE = 10_000

/** How long after its last work the thread is ended: it holds memory that is rarely needed (milliseconds). */
const REST = 30_000

/**
 * A reader for bodies of any size: large ones go to a thread of its own, one after the other. One that takes too long or too
 * much memory there ends that thread, not the hub, and is kept unread; those behind it go to the next thread.
 */
export function createReaderAside(options: Options): Reader & AsyncDisposable {
  const { read, routables, limits, mappings = NO_MAPPINGS, stores, patience = PATIENCE } = options
  let thread: Thread | null = null
  let resting: NodeJS.Timeout | undefined
  /** Stores that the thread knows. */
  let known: readonly KnownStore[] | null = null

  const inTurn = createOneByOne()

  /** Rejects with what ended the thread. */
  async function ask(method: string, args: unknown[]): Promise<unknown> {
    clearTimeout(resting)
    const url = new URL('./reader-thread.ts', import.meta.url)
    thread ??= startThread(url, { routables: routables.map(asData), limits, mappings } satisfies ReaderData, HEAP)
    const now = stores()
    const news = known === now ? [] : [{ method: 'stores', args: [now] }]
    known = now
    const tooLong = Promise.withResolvers<never>()
    const timer = setTimeout(() => tooLong.reject(new Error(`it took longer than ${patience} ms`)), patience)
    try {
      const results = await Promise.race([thread.run([...news, { method, args }]), tooLong.promise])
      const result = results.at(-1)
      if (result && 'value' in result) return result.value
      throw new Error(result?.error.message ?? 'no result')
    } catch (error) {
      await end()
      throw error
    } finally {
      clearTimeout(timer)
      resting = setTimeout(() => void inTurn(end), REST)
      resting.unref()
    }
  }

  async function end(): Promise<void> {
    const ended = thread
    thread = null
    known = null
    await ended?.end()
  }

  return {
    read(incoming) {
      if (incoming.body.byteLength <= LARGE) return read(incoming)
      return inTurn(async () => {
        try {
          const arrival = (await ask('read', [incoming])) as Omit<Arrival, 'body'>
          return { ...arrival, body: incoming.body }
        } catch (error) {
          return unread(incoming, error instanceof Error ? error.message : String(error))
        }
      })
    },
    completes(fuller, thinner) {
      if (fuller.byteLength + thinner.byteLength <= LARGE) return completesBody(fuller, thinner)
      return inTurn(() => ask('completes', [fuller, thinner]).catch(() => false)) as Promise<boolean>
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(resting)
      await inTurn(end)
      clearTimeout(resting)
    },
  }
}

/** A destination as data: the rest of it (its ports) does not go into another thread. */
function asData({ name, abilities, publish, skip, stores, messages, channels, daily, gathers }: Routable): Routable {
  return { name, abilities, publish, skip, stores, messages, channels, daily, ...(gathers && { gathers }) }
}
