import type { Request, Response } from 'express'
import { answerProblem, type Problem, type Refused } from '../lib/http/problem.ts'
import { prepareToClose } from '../lib/http/tokens.ts'
import type { Refusal } from './budget.ts'

/** Soon enough that little time is lost, and late enough that what is in hand is done (seconds). */
const RETRY = 5

const PROBLEMS: Record<Refusal, Problem> = {
  'over-budget': {
    status: 503,
    code: 'over-budget',
    title: 'The hub has its hands full',
    detail: 'More is arriving at once than server.limits.inHand allows. Send it again.',
    retryAfter: RETRY,
  },
  inflated: {
    status: 503,
    code: 'inflated',
    title: 'The bodies become too much',
    detail: 'By decompression the bodies of this minute become more than server.limits.inflated allows. Send it again.',
    retryAfter: 60,
  },
  'too-slow': {
    status: 408,
    code: 'too-slow',
    title: 'The body did not come',
    detail: 'The body took longer than server.timeouts.body.',
  },
}

/** Answers a known sender whose body was let go, and ends the connection, which is in the middle of it. */
export async function answerRefused(request: Request, response: Response, why: Refusal, refused: Refused) {
  refused(why, request.ip)
  await endWith(request, response, PROBLEMS[why])
}

/** Answers with a problem when the sender has said what it had to say, and ends the connection. */
export async function endWith(request: Request, response: Response, problem: Problem): Promise<void> {
  if (await prepareToClose(request, response)) answerProblem(response, problem)
}
