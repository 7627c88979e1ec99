import type { Request, Response } from 'express'
import { answerProblem } from '../lib/http/problem.ts'

/** The person who says to be acting; the token is shared, so this is for the record, not for leave. */
export function operatorOf(request: Request): string {
  return request.get('x-operator')?.slice(0, 80) || 'admin'
}

export function notFound(response: Response, detail: string) {
  response.locals.refusal = detail
  answerProblem(response, { status: 404, code: 'not-found', title: 'Not found', detail })
}
