import { type EndpointUse, WORKED } from '../../domain/health/endpoint-use.ts'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Client } from './client.ts'
import type { OperationName } from './endpoints.ts'
import { isListed } from './listed.ts'

/** The book in which uses of operations that no document shows are kept. */
export interface UseBook {
  /** Takes note of one; it may be written a moment later. */
  note(use: EndpointUse): void
  /** What came of it last at this address: WORKED for good once it has worked; null: it was not used there. */
  cameOf(use: Pick<EndpointUse, 'operation' | 'address'>): Promise<string | null>
}

/** A client that also notes what comes of operations that no document shows. `addressOf`: method and address. */
export function notingClient(client: Client, addressOf: (operation: OperationName) => string, book: UseBook): Client {
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
    read: (operation, call, read, told = isSomething) =>
      noted(operation, client.read(operation, call, read), (found) => (told(found) ? WORKED : 'nothing')),
    write: (operation, call) => noted(operation, client.write(operation, call), () => WORKED),
  }
}

/** Remembers what came of operations as long as this process lives. */
export function forgetfulBook(): UseBook {
  const known = new Map<string, string>()
  return {
    note: ({ address, came }) => void (known.get(address) !== WORKED && known.set(address, came)),
    cameOf: async ({ address }) => known.get(address) ?? null,
  }
}

function isSomething(found: unknown): boolean {
  if (isListed(found)) return found.rows.length > 0
  return Array.isArray(found) ? found.length > 0 : found !== null && found !== undefined && found !== ''
}

/** Trouble, and keys that are refused, say nothing of an endpoint. */
const OF_NOTHING = /^http-(401|403|408|425|429|502|503|504)$/

/** The code for what a failed answer tells of the endpoint; null: it tells nothing, or the endpoint was not asked. */
function codeOf(error: unknown): string | null {
  const isOurs =
    error instanceof PermanentError || error instanceof RetryLaterError || error instanceof UnknownOutcomeError
  if (!isOurs || OF_NOTHING.test(error.code)) return null
  return /^(http-\d{3}|not-json|unexpected-answer|refused)$/.test(error.code) ? error.code : null
}
