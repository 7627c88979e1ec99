import type { KnownStore } from '../domain/places/store-index.ts'
import type { JsonLimits } from '../lib/json-shape.ts'
import { createRestingThread } from '../lib/thread.ts'
import { type Mappings, NO_MAPPINGS } from '../payloads/mapping/mapping.ts'
import type { Arrival } from '../store/arrival.ts'
import type { ReaderData } from './reader-thread.ts'
import { completesBody, type Read, type Reader, unread } from './reading.ts'
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

/**
 * A reader for bodies of any size: large ones go to a thread of its own, one after the other. What takes too long or too
 * much memory there ends that thread, not the hub, and is kept unread.
 */
export function createReaderAside(options: Options): Reader & AsyncDisposable {
  const { read, routables, limits, mappings = NO_MAPPINGS, stores, patience } = options
  const data = { routables: routables.map(asData), limits, mappings } satisfies ReaderData
  const url = new URL('./reader-thread.ts', import.meta.url)
  const thread = createRestingThread({ url, data, heap: HEAP, ...(patience !== undefined && { patience }) })
  /** Stores that the thread knows. */
  let known: readonly KnownStore[] | null = null

  /** Rejects with what ended the thread. */
  function ask(method: string, args: unknown[]): Promise<unknown> {
    return thread.run((isNew) => {
      const now = stores()
      const news = known === now && !isNew ? [] : [{ method: 'stores', args: [now] }]
      known = now
      return [...news, { method, args }]
    })
  }

  return {
    read(incoming) {
      if (incoming.body.byteLength <= LARGE) return read(incoming)
      return ask('read', [incoming]).then(
        (arrival) => ({ ...(arrival as Omit<Arrival, 'body'>), body: incoming.body }),
        (error: unknown) => unread(incoming, error instanceof Error ? error.message : String(error)),
      )
    },
    completes(fuller, thinner) {
      if (fuller.byteLength + thinner.byteLength <= LARGE) return completesBody(fuller, thinner)
      return ask('completes', [fuller, thinner]).catch(() => false) as Promise<boolean>
    },
    [Symbol.asyncDispose]: thread[Symbol.asyncDispose],
  }
}

/** A destination as data: the rest of it (its ports) does not go into another thread. */
function asData({ name, abilities, publish, skip, stores, messages, channels, daily, gathers }: Routable): Routable {
  return { name, abilities, publish, skip, stores, messages, channels, daily, ...(gathers && { gathers }) }
}
