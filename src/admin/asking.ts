import type { Request, Response } from 'express'
import { actorOf } from '../domain/access/scope.ts'
import { answerProblem } from '../lib/http/problem.ts'

/** Notes whose token the request came with. */
export function setOperator(response: Response, name: string): void {
  response.locals.operator = name
}

/** Who acts, for the audit: the holder of the token that the request came with. */
export function operatorOf(request: Request): string {
  return actorOf(request.res?.locals.operator ?? 'unknown', request.get('x-operator'))
}

export function notFound(response: Response, detail: string) {
  response.locals.refusal = detail
  answerProblem(response, { status: 404, code: 'not-found', title: 'Not found', detail })
}
