import type { HttpClient, HttpRequest } from '../../lib/http/http.ts'
import type { HttpAnswer } from '../../lib/http/http-exchange.ts'
import type { Examined } from '../../ports/examined.ts'
import { type AnswerCheck, statusLine } from './http-errors.ts'

/** Said by a proxy or a gateway in the system's place, or to everybody. */
const NOT_ITSELF = [407, 429, 502, 503, 504]

/**
 * Whether somebody answers, whatever it is: a HEAD, which asks for nothing. Throws as a call does where nobody does, or only
 * what stands before the system.
 */
export async function reach(
  client: HttpClient,
  where: Omit<HttpRequest, 'method' | 'body'>,
  check: AnswerCheck,
): Promise<HttpAnswer> {
  const request: HttpRequest = { ...where, method: 'HEAD' }
  const result = await client.send(request)
  const isItself = result.type === 'answered' && !NOT_ITSELF.includes(result.answer.status)
  return isItself ? result.answer : check(request, result)
}

export function reached({ status }: HttpAnswer): Examined {
  return { what: 'connection', state: 'ok', says: `It is reached: a HEAD was answered ${statusLine(status)}.` }
}
