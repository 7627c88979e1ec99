import { RetryLaterError, UnknownOutcomeError } from '../../../domain/values/errors.ts'

/** Nothing was sent, or nothing was done. */
const CERTAIN = new Set(['unreachable', 'certificate-refused', 'http-409', 'http-425', 'http-429', 'http-503'])

/**
 * For the request that creates an order: WooCommerce saves first and runs plugins afterwards, and a proxy gives up before
 * the shop does. So an order may well be there after 500, 502 or 504; it is looked for before it is tried again.
 */
export function uncertainIfRefused(error: unknown): never {
  if (error instanceof RetryLaterError && !CERTAIN.has(error.code))
    throw new UnknownOutcomeError(error.message, { code: error.code, cause: error.cause })
  throw error
}
