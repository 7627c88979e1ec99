import type { Response } from 'express'
import { answerProblem } from '../../lib/http/problem.ts'
import type { LineFaults } from '../../store/screens.ts'
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
