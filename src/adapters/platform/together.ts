import {
  PermanentError,
  RefusedTogetherError,
  RetryLaterError,
  UnknownOutcomeError,
} from '../../domain/values/errors.ts'
import type { Attempt, Batch, BatchResult, Effect } from '../../ports/attempt.ts'

/** Codes of a request that is refused because of something in it: without that, the rest may pass. */
const ABOUT_THE_BODY = new Set(['http-400', 'http-404', 'http-413', 'http-422', 'refused', 'invalid-request'])

/** Trouble of one request that lasts so long (milliseconds) comes of something in it, or of its size. */
const LASTING = 10 * 60_000

/**
 * Carries out a batch with one request, which the platform takes or refuses as a whole. All such requests may be sent
 * twice: they say how things are to be, not how they change.
 */
export async function together<Argument>(
  batch: Batch<Argument>,
  carryOut: (items: Argument[], signal: AbortSignal) => Promise<Effect>,
): Promise<BatchResult> {
  const [first] = batch
  if (!first) return []
  try {
    const items = batch.map(({ argument }) => argument)
    const effect = await carryOut(items, first.attempt.signal)
    return batch.map(() => effect)
  } catch (error) {
    const attempts = batch.map(({ attempt }) => attempt)
    const failure = togetherError(error, attempts)
    return batch.map(() => failure)
  }
}

/** The error of each argument in a request, from the error of the whole. */
export function togetherError(error: unknown, attempts: readonly Pick<Attempt, 'firstTriedAt'>[]): Error {
  const known = error instanceof Error ? error : new TypeError(String(error))
  if (attempts.length < 2) return known
  const isRefused = known instanceof PermanentError && ABOUT_THE_BODY.has(known.code)
  return isRefused || (mayPass(known) && attempts.every(isLasting))
    ? new RefusedTogetherError(known.message, { code: codeOf(known), cause: known, mayBeWide: isWide(known) })
    : known
}

function isWide(error: Error): boolean {
  return error instanceof PermanentError && error.mayBeWide
}

/** Answers of a gateway where the platform takes too long, or breaks down. */
const FROM_GATEWAY = new Set(['http-502', 'http-504'])

/** A request that fails with a 500, or gets no answer, may never pass as it is: one bad thing in it, or too many. */
function mayPass(error: Error): boolean {
  if (error instanceof RetryLaterError) return error.scope === 'item' || FROM_GATEWAY.has(error.code)
  return error instanceof UnknownOutcomeError
}

function isLasting({ firstTriedAt }: Pick<Attempt, 'firstTriedAt'>): boolean {
  return firstTriedAt !== null && Date.now() - firstTriedAt > LASTING
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : 'refused-together'
}

/** The value that all of a batch share, by which its request is made. Throws where they differ: then it was put together wrongly. */
export function common<Argument, Value>(items: readonly Argument[], read: (item: Argument) => Value): Value {
  const [value, ...others] = new Set(items.map(read))
  if (value === undefined && items.length === 0) throw new TypeError('an empty batch')
  if (others.length > 0) throw new TypeError('a batch for several requests')
  return value as Value
}
