import type { Request, Response } from 'express'
import { answerProblem } from '../../lib/http/problem.ts'
import type { LineFaults } from '../../store/screens.ts'
import { endWith } from '../problem.ts'
import { LARGEST_JSON } from './body/request.ts'
import type { StoresUnknownError } from './store-finder.ts'
import type { Tally } from './take.ts'

/** Answers with what became of the lines. `atomic`: all or nothing was asked for. */
export function answerTaken(response: Response, tally: Tally, atomic: boolean): void {
  const { lines, accepted, duplicates, faults, conflicts } = tally
  const taken = accepted + duplicates
  if (lines === 0) answerInvalid(response, [{ line: 1, faults: ['found no item, expected at least one'] }], 0)
  else if (conflicts.length > 0 && (atomic || taken === 0)) answerConflict(response, tally)
  else if (taken === 0) answerInvalid(response, faults, lines)
  else answerKept(response, tally)
}

/** `id`: of this submission, or of the one that all of it came in first. */
function answerKept(response: Response, tally: Tally): void {
  const { lines, accepted, duplicates, refused, faults } = tally
  const id = tally.id ?? tally.first
  response.status(accepted > 0 ? 202 : 200).json({
    id,
    status: accepted > 0 ? 'accepted' : 'duplicate',
    lines,
    accepted,
    duplicates,
    refused,
    faults,
    url: `/v1/submissions/${id}`,
  })
}

/** The answer to items with faults: nothing was taken. */
export function answerInvalid(response: Response, faults: readonly LineFaults[], lines: number): void {
  const count = faults.length === 1 ? 'One item has' : `${faults.length} items have`
  answerProblem(response, {
    status: 422,
    code: 'invalid',
    title: 'Not as it should be',
    detail: `${count} faults, so nothing was taken. Correct them and send it again, with the same Idempotency-Key.`,
    more: { lines, faults },
  })
}

function answerConflict(
  response: Response,
  { id, lines, accepted, duplicates, refused, conflicts, faults }: Tally,
): void {
  const first = conflicts[0]?.submission ?? null
  const others = accepted + duplicates === 0 ? 'Nothing was taken.' : `${accepted + duplicates} other items are taken.`
  const where = first === null ? '' : ` in submission ${first}`
  answerProblem(response, {
    status: 409,
    code: 'conflict',
    title: 'Submitted before, with other content',
    detail: `The same was submitted before with other content${where}; what was taken first stays. ${others}`,
    more: { id, submission: first, lines, accepted, duplicates, refused, faults },
  })
}

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
