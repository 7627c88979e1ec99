import type { Request, Response } from 'express'
import type { Refused } from '../../../lib/http/refused.ts'
import { answerRefused } from '../../answer-refused.ts'
import { readBody } from '../../body.ts'
import type { Budget } from '../../budget.ts'
import { answerTooLarge, answerUnreadable } from '../answers-of-refusal.ts'
import { LARGEST_JSON } from './request.ts'
import { parseTyped } from './typed-json.ts'

/** Room for the bodies of own systems. */
export interface Room {
  budget: Budget
  refused: Refused
}

/** The body of what is taken all or nothing. Null: it was answered already, or nobody is there to be answered. */
export type ReadWhole = (request: Request, response: Response) => Promise<Buffer | null>

/** Reads a body whole. Its bytes count as in hand until the request is answered. */
export function createReadWhole({ budget, refused }: Room): ReadWhole {
  return async (request, response) => {
    const body = await readBody(request, { limit: LARGEST_JSON, budget }).catch(() => null)
    if (body?.type === 'read') response.once('close', body.share.release)
    if (body === null) response.destroy()
    else if (body.type === 'refused') await answerRefused(request, response, body.why, refused)
    else if (body.type === 'too-large') await answerTooLarge(request, response)
    else if (body.packed !== null) answerUnreadable(response, body.packed)
    else return body.bytes
    return null
  }
}

/** The body as JSON. Undefined: it is none, and that was answered. */
export function parseBody(response: Response, bytes: Buffer): unknown {
  try {
    return parseTyped(bytes)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    answerUnreadable(response, `not JSON: ${error.message}`)
    return undefined
  }
}
