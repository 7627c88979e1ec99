import type { IndexedStore } from '../domain/stores/store-index.ts'
import { messageOf } from '../domain/values/errors.ts'
import type { JsonLimits } from '../lib/json.ts'
import { createRestingThread } from '../lib/thread.ts'
import { type Mappings, NO_MAPPINGS } from '../platform/payloads/mapping/mapping.ts'
import type { Arrival } from '../storage/arrival.ts'
import { completesBody, type Read, type Reader, unread } from './parse.ts'
import type { Routable } from './route.ts'

interface Options {
  read: Read
  routables: readonly Routable[]
  limits: JsonLimits
  mappings?: Mappings
  stores: () => readonly IndexedStore[]
  /** Timeout of one body (ms). */
  patience?: number
}

export interface ReaderData {
  routables: readonly Routable[]
  limits: JsonLimits
  mappings: Mappings
}

const LARGE_BYTES = 256 * 1024

const HEAP = { youngMb: 8, oldMb: 160 }

/** A body that exhausts the time or memory of its worker thread is quarantined. */
export function createThreadReader(options: Options): Reader & AsyncDisposable {
  const { read, routables, limits, mappings = NO_MAPPINGS, stores, patience } = options
  const data = { routables: routables.map(asData), limits, mappings } satisfies ReaderData
  const url = new URL('./reader-thread.ts', import.meta.url)
  const thread = createRestingThread({ url, data, heap: HEAP, ...(patience !== undefined && { patience }) })
  let known: readonly IndexedStore[] | null = null

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
      if (incoming.body.byteLength <= LARGE_BYTES) return read(incoming)
      return ask('read', [incoming]).then(
        (arrival) => ({ ...(arrival as Omit<Arrival, 'body'>), body: incoming.body }),
        (error: unknown) => unread(incoming, messageOf(error)),
      )
    },
    completes(richer, sparser) {
      if (richer.byteLength + sparser.byteLength <= LARGE_BYTES) return completesBody(richer, sparser)
      return ask('completes', [richer, sparser]).catch(() => false) as Promise<boolean>
    },
    [Symbol.asyncDispose]: thread[Symbol.asyncDispose],
  }
}

function asData({ name, abilities, publish, skip, stores, messages, channels, daily, gathers }: Routable): Routable {
  return { name, abilities, publish, skip, stores, messages, channels, daily, ...(gathers && { gathers }) }
}
