import type { RequestHandler } from 'express'
import { SUBMIT_SCOPES } from '../domain/access/scope.ts'
import { answerProblem } from '../lib/http/problem.ts'
import { READ_SETS } from './mirror/sets.ts'

/** The methods of the lists of `/v1`: what is submitted is posted, what is mirrored is read. */
const METHODS = new Map<string, string[]>()
for (const scope of SUBMIT_SCOPES) METHODS.set(`/v1/${scope}`, ['POST'])
for (const { name } of READ_SETS) METHODS.set(`/v1/${name}`, [...(METHODS.get(`/v1/${name}`) ?? []), 'GET', 'HEAD'])

/** Answers 405 where a list of `/v1` is there and knows another method, after all that answers it. */
export const otherMethod: RequestHandler = ({ path, method }, response, next) => {
  const allowed = METHODS.get(path.replace(/\/$/, ''))
  if (!allowed) return next()
  response.set('Allow', allowed.join(', '))
  answerProblem(response, {
    status: 405,
    code: 'method-not-allowed',
    title: 'Not this method',
    detail: `${path} knows ${allowed.join(', ')}, not ${method}: docs/submissions.md and docs/mirror.md say for what.`,
  })
}
