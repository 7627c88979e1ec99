import { Buffer } from 'node:buffer'
import { field } from '../../domain/field.ts'
import type { HttpResult } from '../../lib/http-exchange.ts'

/** A word of a program: no blank, no @, and not so many digits that it may be a phone number. */
const WORD = /^(?=.{1,60}$)(?!.*\d{6})[\w.:/#-]+$/

/** Where APIs put the code of a refusal: RFC 9457 (`type`), RFC 6749 (`error`), and what is usual. */
const PLACES = ['code', 'errorCode', 'error_code', 'category', 'type', 'error'] as const

/**
 * A refusal's words may say back what was sent, a customer's address for instance: only its code goes on, where it is in one
 * of the usual places.
 */
export function withCodeOnly(result: HttpResult): HttpResult {
  if (result.type !== 'answered' || result.answer.status < 400) return result
  const body = Buffer.from(codeOf(result.answer.body.toString()) ?? '')
  return { ...result, answer: { ...result.answer, body } }
}

function codeOf(body: string): string | null {
  const answer = parsed(body)
  for (const said of [field(answer, 'error'), answer])
    for (const place of PLACES) {
      const code = field(said, place)
      if (typeof code === 'string' && WORD.test(code)) return code
      if (typeof code === 'number' && code < 1e6) return String(code)
    }
  return null
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
