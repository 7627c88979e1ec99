import type { Request, Response } from 'express'
import { rateLimit } from 'express-rate-limit'
import { answerProblem } from './problem.ts'

/** Wrong tokens a minute and address before the answer is 429. Right tokens are never counted. */
const MOST = 30

/** Answers a request whose token was wrong: 401 with what to do, and 429 to who goes on guessing. */
export function createWrongTokenAnswer(detail: string) {
  const limiter = rateLimit({
    windowMs: 60_000,
    limit: MOST,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: (_, response) =>
      answerProblem(response, {
        status: 429,
        code: 'too-many-wrong-tokens',
        title: 'Too many wrong tokens',
        retryAfter: 60,
      }),
  })
  return async (request: Request, response: Response): Promise<void> => {
    await limiter(request, response, () =>
      answerProblem(response, { status: 401, code: 'wrong-token', title: 'Wrong token', detail }),
    )
  }
}
