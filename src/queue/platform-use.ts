import { type EndpointUse, WORKED } from '../domain/health/endpoint-use.ts'
import type { RejectedRows } from '../domain/health/health.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import type { UseBook } from '../platform/http/client.ts'
import type { RejectedRowsLog, Unreadable } from '../platform/http/read.ts'
import type { Storage } from '../storage/storage.ts'

const HOUR = 3_600_000

/** (ms) */
const MAX_AGE_MS = 26 * HOUR
const NAMED = 5

interface Entry {
  operation: string
  why: string
  since: Instant
  parts: Map<string, { rows: number; at: Instant }>
}

export interface HubRejectedRowsLog extends RejectedRowsLog {
  all(): RejectedRows[]
}

/** Logs an operation and cause when rows become unreadable, and when readable again; no values. */
export function createRejectedRowsLog(
  { now }: Pick<Clock, 'now'>,
  logger: Pick<Logger, 'error' | 'info'>,
): HubRejectedRowsLog {
  const entries = new Map<string, Entry>()

  function note(operation: string, about: string, why: string, rows: readonly Unreadable[]): void {
    const key = `${operation} ${why}`
    const known = entries.get(key)
    const entry = known ?? { operation, why, since: now(), parts: new Map() }
    entry.parts.set(about, { rows: rows.length, at: now() })
    entries.set(key, entry)
    if (known) return
    const named = rows.slice(0, NAMED).map(({ row }) => row)
    logger.error({ operation, about, rows: named, count: rows.length, why }, 'platform.rows-rejected')
  }

  function discard(stillThere: (entry: Entry, about: string, at: Instant) => boolean): Entry[] {
    const gone: Entry[] = []
    for (const [key, entry] of entries) {
      for (const [about, { at }] of entry.parts) if (!stillThere(entry, about, at)) entry.parts.delete(about)
      if (entry.parts.size > 0) continue
      entries.delete(key)
      gone.push(entry)
    }
    return gone
  }

  return {
    listed(operation, about, rejected) {
      const causes = Map.groupBy(rejected, ({ why }) => why)
      const readAgain = discard(
        (entry, part, at) =>
          now() - at < MAX_AGE_MS && (entry.operation !== operation || part !== about || causes.has(entry.why)),
      )
      for (const { operation: of, why } of readAgain) logger.info({ operation: of, why }, 'platform.rows-read-again')
      for (const [why, rows] of causes) note(operation, about, why, rows)
    },

    all() {
      discard((_, __, at) => now() - at < MAX_AGE_MS)
      return [...entries.values()].map(({ operation, why, since, parts }) => ({
        operation,
        why,
        rows: [...parts.values()].reduce((sum, { rows }) => sum + rows, 0),
        about: [...parts.keys()].filter((about) => about !== ''),
        since,
      }))
    },
  }
}

/** Undocumented operations that worked, for all hubs. */
export function createUseBook(
  storage: Pick<Storage, 'endpointUses' | 'noteEndpointUse'>,
  { now }: Pick<Clock, 'now'>,
  logger: Logger,
): UseBook {
  const known = new Map<string, EndpointUse>()
  const isKnown = ({ operation, address, came }: EndpointUse) => {
    const last = known.get(operation)
    return last?.address === address && (last.came === WORKED || last.came === came)
  }

  return {
    note(use) {
      if (isKnown(use)) return
      known.set(use.operation, use)
      storage.noteEndpointUse(use, now()).catch((err: unknown) => {
        if (known.get(use.operation) === use) known.delete(use.operation)
        logger.warn({ ...use, err }, 'platform.use-not-noted')
      })
    },

    async cameOf({ operation, address }) {
      const last = known.get(operation)
      if (last?.address === address && last.came === WORKED) return WORKED
      const kept = (await storage.endpointUses()).find((use) => use.operation === operation && use.address === address)
      const came = kept?.came === WORKED || last?.address !== address ? kept?.came : last.came
      if (came !== undefined) known.set(operation, { operation, address, came })
      return came ?? null
    },
  }
}
