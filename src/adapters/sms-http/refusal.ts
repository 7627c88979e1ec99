import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import type { HttpRequest } from '../../lib/http/http.ts'
import type { HttpAnswer } from '../../lib/http/http-exchange.ts'
import { createMask } from '../../lib/http/http-mask.ts'
import { jsonTextOf } from '../../lib/http/json-text.ts'
import { isCode, saidIn } from '../../lib/http/refusal.ts'
import { statusLine } from '../shared/http-errors.ts'
import type { SmsHttpOptions } from './options.ts'

type FailWhen = NonNullable<SmsHttpOptions['failWhen']>

/**
 * Throws where a 2xx answer says that the gateway did not take the text: RetryLaterError for the values listed in
 * `retry`, else PermanentError. An answer that lacks the value that success has (`not`) counts as refused: with a wrong
 * path every try would send the text once more.
 */
export function refuseFailure(
  { path, equals, not, retry }: FailWhen,
  answer: HttpAnswer,
  { request, destination, secrets }: { request: HttpRequest; destination: string; secrets: Iterable<string> },
): void {
  const found = valueAt(answer.body, path)
  const failed = not === undefined ? listed(equals, found) : !listed(not, found)
  if (!failed) return
  const mask = createMask(secrets)
  const address = mask(request.origin + request.path.replace(/\?.*$/s, ''))
  const value = found === null ? 'not there' : isCode(found) ? found : 'something else'
  const why = mask(`${path} is ${value}: ${saidIn(answer, request)}`)
  const message = `${destination}: ${request.method} ${address} answered ${statusLine(answer.status)}, but ${why}`
  if (listed(retry, found)) throw new RetryLaterError(message, { code: 'gateway-busy', mayBeWide: true })
  throw new PermanentError(message, { code: 'gateway-refused', mayBeWide: true })
}

type Listed = FailWhen['equals']

function listed(values: Listed, found: string | null): boolean {
  return [values ?? []].flat().some((value) => String(value) === found)
}

/** The value at a path such as `messages.0.status`, as text. Null where there is none, and where the answer is no JSON. */
function valueAt(body: Buffer, path: string): string | null {
  let value: unknown
  try {
    value = JSON.parse(jsonTextOf(body))
  } catch {
    return null
  }
  for (const name of path.split('.')) value = field(value, name)
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
