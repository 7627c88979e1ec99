import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import type { BatchResult, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'

const REFUSED = new Set(['http-401', 'http-403'])

/** A port whose methods say of refused keys that they are the connection's trouble. */
export function eachWithKeys(port: PlatformPort): PlatformPort {
  const methods = Object.entries(port).map(([name, method]) => [name, withKeys(method)])
  return Object.fromEntries(methods) as PlatformPort
}

/** A method whose errors, thrown or given, are those of a connection where they are the connection's. */
function withKeys<Arguments extends unknown[], Result extends Effect | BatchResult | null>(
  method: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  return async (...given) => {
    try {
      const result = await method(...given)
      return Array.isArray(result) ? (result.map(unlessKeysRefused) as Result) : result
    } catch (error) {
      throw unlessKeysRefused(error)
    }
  }
}

/** Keys that are refused are the connection's trouble, not the thing's: everything waits until they are right again. */
function unlessKeysRefused(error: unknown): unknown {
  if (!(error instanceof PermanentError) || !areKeysRefused(error)) return error
  const message = `the platform refuses our keys (platform.apiKey, platform.subscriptionKey): ${error.message}`
  return new RetryLaterError(message, { scope: 'destination', code: error.code, cause: error })
}

export function areKeysRefused({ code }: PermanentError): boolean {
  return REFUSED.has(code)
}
