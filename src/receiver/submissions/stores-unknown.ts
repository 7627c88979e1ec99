import type { Response } from 'express'
import { answerProblem } from '../../lib/http/problem.ts'
import type { StoresUnknownError } from './store-finder.ts'

/** The stores are read at start, and a platform that does not answer then is asked again (seconds). */
const RETRY = 60

/** `again`: what the sender is to do. */
export function answerStoresUnknown(response: Response, { message }: StoresUnknownError, again: string): void {
  answerProblem(response, {
    status: 503,
    code: 'stores-unknown',
    title: 'The stores are not known yet',
    detail: `${message} The stores job reads them. ${again}`,
    retryAfter: RETRY,
  })
}
