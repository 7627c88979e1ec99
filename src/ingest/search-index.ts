import { payloadOrNull } from '../domain/queue/event.ts'
import { codeOf, type SearchKey, searchKeysOf } from '../domain/queue/search-keys.ts'
import { StorageUnavailableError } from '../domain/values/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { eachInSlices } from '../lib/semaphore.ts'
import type { EventKey, Unindexed } from '../storage/arrival.ts'
import type { Storage } from '../storage/storage.ts'

export interface SearchIndex extends AsyncDisposable {
  catchUp(patience: number): Promise<boolean>
}

interface Options {
  storage: Pick<Storage, 'unindexed' | 'indexKeys' | 'searchReach'>
  clock: Pick<Clock, 'now' | 'after'>
  logger: Logger
}

/** Large commits are cheap, but webhooks wait for them. */
const ROOM = { events: 200, bytes: 1_000_000 }

const POLL_INTERVAL_MS = 30_000

const REST = 19

const LEFT_OUT = new Set(['StockChanged', 'StockLevelRead', 'SalesLinesRead'])

/** Asynchronous, in id order; readers call `catchUp` first. */
export function startSearchIndex({ storage, clock, logger }: Options): SearchIndex {
  let underWay: Promise<number | null> | null = null
  let isOver = false
  let cancel = clock.after(POLL_INTERVAL_MS, follow)

  function step(): Promise<number | null> {
    underWay ??= indexPage(storage).finally(() => {
      underWay = null
    })
    return underWay
  }

  function follow(): void {
    const began = performance.now()
    void step()
      .catch((err: unknown) => {
        if (!(err instanceof StorageUnavailableError)) logger.warn({ err }, 'search.not-indexed')
        return null
      })
      .then((last) => {
        const rest = (performance.now() - began) * REST
        if (!isOver) cancel = clock.after(last === null ? POLL_INTERVAL_MS : rest, follow)
      })
  }

  return {
    async catchUp(patience) {
      const until = performance.now() + patience
      const { upTo, behind } = await storage.searchReach()
      const newest = upTo + behind
      for (let reached: number | null = upTo; reached !== null && reached < newest; reached = await step())
        if (isOver || performance.now() >= until) return false
      return (await storage.searchReach()).upTo >= newest
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      cancel()
      await underWay?.catch(() => undefined)
    },
  }
}

async function indexPage(storage: Options['storage']): Promise<number | null> {
  const events = await storage.unindexed(ROOM)
  const last = events.at(-1)
  if (!last) return null
  const keys: EventKey[] = []
  const add = (event: Unindexed) => {
    for (const key of keysOf(event)) keys.push(key)
  }
  await eachInSlices(events, add, 1)
  await storage.indexKeys(last.id, keys)
  return last.id
}

function keysOf({ id, kind, transportKey, body }: Unindexed): EventKey[] {
  if (LEFT_OUT.has(kind)) return []
  const keys: SearchKey[] = searchKeysOf(payloadOrNull(body))
  if (transportKey !== null) keys.push({ sort: 'id', value: codeOf(transportKey) })
  return keys.map((key) => ({ ...key, event: id }))
}
