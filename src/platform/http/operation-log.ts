import { type EndpointUse, type RejectedRows, WORKED } from '../../domain/health/health.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Client } from './client.ts'
import type { OperationName } from './endpoints.ts'
import { isListed, type RejectedRowsLog, type Unreadable } from './read.ts'

/* What operations have shown: whether undocumented ones worked, and which answers had rows that cannot be read. */

export interface EndpointUseLog {
  note(use: EndpointUse): void
  /** WORKED for good; null: never used. */
  cameOf(use: Pick<EndpointUse, 'operation' | 'address'>): Promise<string | null>
}

export function notingClient(
  client: Client,
  addressOf: (operation: OperationName) => string,
  book: EndpointUseLog,
): Client {
  function note(operation: OperationName, came: string | null): void {
    if (came !== null && client.endpoint(operation).known.call === 'guess')
      book.note({ operation, address: addressOf(operation), came })
  }

  async function noted<T>(operation: OperationName, call: Promise<T>, cameOf: (result: T) => string): Promise<T> {
    try {
      const result = await call
      note(operation, cameOf(result))
      return result
    } catch (error) {
      note(operation, codeOf(error))
      throw error
    }
  }

  return {
    ...client,
    read: (operation, call, read, isFound = isSomething) =>
      noted(operation, client.read(operation, call, read), (found) => (isFound(found) ? WORKED : 'nothing')),
    write: (operation, call) => noted(operation, client.write(operation, call), () => WORKED),
  }
}

export function forgetfulBook(): EndpointUseLog {
  const known = new Map<string, string>()
  return {
    note: ({ address, came }) => void (known.get(address) !== WORKED && known.set(address, came)),
    cameOf: async ({ address }) => known.get(address) ?? null,
  }
}

function isSomething(found: unknown): boolean {
  const rows = isListed(found) ? found.rows : found
  return Array.isArray(rows) ? rows.length > 0 : rows !== null && rows !== undefined && rows !== ''
}

/** Outages and refused keys say nothing of an endpoint. */
const OF_NOTHING = /^http-(401|403|408|425|429|502|503|504)$/

function codeOf(error: unknown): string | null {
  const isOurs =
    error instanceof PermanentError || error instanceof RetryLaterError || error instanceof UnknownOutcomeError
  if (!isOurs || OF_NOTHING.test(error.code)) return null
  return /^(http-\d{3}|not-json|unexpected-answer|refused)$/.test(error.code) ? error.code : null
}

export interface Operations {
  isShown(operation: OperationName): boolean
  /** Documented, or has worked here. Otherwise a 404 may mean that the endpoint is missing. */
  isProven(operation: OperationName): Promise<boolean>
  /** `config`, or the last answer of an undocumented operation that never worked; a 404 is proof for a list only. */
  absence(operation: OperationName): Promise<string | null>
  unshown(): { operation: OperationName; address: string }[]
}

interface Uses {
  endpointUses(): Promise<readonly EndpointUse[]>
  noteEndpointUse(use: EndpointUse, at: Instant): Promise<void>
}

/** Undocumented operations that worked, for all hubs. */
export function createEndpointUseLog(storage: Uses, { now }: Pick<Clock, 'now'>, logger: Logger): EndpointUseLog {
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
