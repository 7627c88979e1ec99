import type { Request, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { prepareToClose } from './drain.ts'
import { answerProblem } from './problem.ts'
import type { Refused } from './refused.ts'

/** Wrong tokens a minute and address before the answer is 429. Right tokens are never counted. */
const MAX_WRONG_TOKENS = 30

/** The interfaces that take a token. */
const INTERFACES = new Set(['webhooks', 'intake', 'v1', 'api', 'admin', 'metrics'])

function interfaceOf({ originalUrl }: Request): string | undefined {
  const [first = ''] = originalUrl.slice(1).split(/[/?]/, 1)
  return INTERFACES.has(first) ? `/${first}` : undefined
}

/** Answers a request whose token was wrong: 401 with what to do, and 429 to who goes on guessing. The connection ends with it. */
export function createWrongTokenAnswer(detail: string, refused: Refused) {
  const limiter = rateLimit({
    windowMs: 60_000,
    limit: MAX_WRONG_TOKENS,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    // The library would write warnings about proxies to the output, each with a stack trace; server.trustProxy says what it asks for.
    validate: false,
    // A caller who has hung up has no address any more.
    keyGenerator: ({ ip }) => (ip === undefined ? 'unknown' : ipKeyGenerator(ip)),
    handler: (_, response) =>
      answerProblem(response, {
        status: 429,
        code: 'too-many-wrong-tokens',
        title: 'Too many wrong tokens',
        retryAfter: 60,
      }),
  })
  return async (request: Request, response: Response): Promise<void> => {
    refused('wrong-token', request.ip, interfaceOf(request))
    if (!(await prepareToClose(request, response))) return
    await limiter(request, response, () =>
      answerProblem(response, { status: 401, code: 'wrong-token', title: 'Wrong token', detail }),
    )
  }
}
