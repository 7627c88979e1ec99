import type { Request, Response } from 'express'
import { answerProblem } from '../../lib/http/problem.ts'
import { endWith } from '../answer-refused.ts'
import { LARGEST_JSON } from './body/request.ts'
import type { Tally } from './take.ts'

/** The answer to a key that is used again: nothing was taken (of these lines: `tally` says what was taken before them). */
export function answerKeyReused(response: Response, { id, lines, accepted, duplicates }: Tally): void {
  const submission = id === null ? {} : { submission: id }
  answerProblem(response, {
    status: 422,
    code: 'idempotency-key-reused',
    title: 'This Idempotency-Key stands for something else',
    detail: 'It was used before with other content. Send new content with a new key; send the old again as it was.',
    more: { ...submission, lines, accepted, duplicates },
  })
}

export async function answerTooLarge(request: Request, response: Response): Promise<void> {
  await endWith(request, response, {
    status: 413,
    code: 'body-too-large',
    title: 'Too large',
    detail: `JSON is taken all or nothing, up to ${LARGEST_JSON} bytes. Send application/x-ndjson, which has no limit.`,
  })
}

/** The body is JSON that would cost too much to read: `why` names the limit. */
export function answerTooManyValues(response: Response, why: string): void {
  answerProblem(response, {
    status: 413,
    code: 'body-too-large',
    title: 'Too large',
    detail: `The body: ${why} (server.limits). Send it in parts, or as application/x-ndjson, which has no limit.`,
  })
}

/** The body is not what its headers say; nothing (more) was taken. */
export function answerUnreadable(response: Response, why: string, tally?: Tally): void {
  const kept = tally?.id == null ? {} : { submission: tally.id, lines: tally.lines, accepted: tally.accepted }
  answerProblem(response, {
    status: 400,
    code: 'unreadable',
    title: 'Not readable',
    detail: `The body: ${why}.`,
    more: kept,
  })
}
