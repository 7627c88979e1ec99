import type { Request, Response } from 'express'
import { readBody } from '../body.ts'
import { answerTooLarge, answerUnreadable } from './answers.ts'
import { parseExact } from './exact-json.ts'
import { LARGEST_JSON } from './request.ts'

/** The body of what is taken all or nothing. Null: it was answered already, or nobody is there to be answered. */
export async function readWhole(request: Request, response: Response): Promise<Buffer | null> {
  const body = await readBody(request, LARGEST_JSON).catch(() => null)
  if (body === null) response.destroy()
  else if (body.type === 'too-large') answerTooLarge(response)
  else if (body.unreadable !== null) answerUnreadable(response, body.unreadable)
  else return body.bytes
  return null
}

/** It as JSON. Undefined: it is not, and that was answered. */
export function parseBody(response: Response, bytes: Buffer): unknown {
  try {
    return parseExact(bytes)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    answerUnreadable(response, `not JSON: ${error.message}`)
    return undefined
  }
}
