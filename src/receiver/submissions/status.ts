import type { RequestHandler } from 'express'
import { UserError } from '../../domain/values/errors.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import { answerProblem } from '../../lib/http/problem.ts'
import type { SubmissionDetail } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { apiKeyOf } from '../api-key.ts'

/** The most failed lines that are told at a time. */
const PAGE = 100

/** `GET /v1/submissions/{id}`: what became of a submission, for keys of the system that it is of. */
export function createStatus(store: Pick<Store, 'submission' | 'submissionItems'>): RequestHandler {
  return async (request, response) => {
    const { id = '' } = request.params as { id?: string }
    const after = readAfter(request.query.after)
    const found = /^\d{1,15}$/.test(id) ? await store.submission(Number(id)) : null
    if (!found || found.system !== apiKeyOf(response).system) {
      const detail = 'Your system has no submission of this id.'
      return answerProblem(response, { status: 404, code: 'not-found', title: 'Not found', detail })
    }
    const failed = await store.submissionItems(found.id, { states: ['dead', 'held'], after, limit: PAGE })
    response.json({
      ...statusOf(found),
      failed: failed.map(({ line, entity, destination, state, code, why }) => {
        return { line, entity, destination, state, code, why }
      }),
    })
  }
}

function statusOf({ id, resource, key, receivedAt, items, unrouted, states, end }: SubmissionDetail) {
  const destinations: Record<string, Record<string, number>> = {}
  let open = 0
  for (const { destination, state, count } of states) {
    destinations[destination] ??= { waiting: 0, delivered: 0, superseded: 0, held: 0, dead: 0, skipped: 0 }
    const counts = destinations[destination]
    const shown = state === 'claimed' ? 'waiting' : state
    counts[shown] = (counts[shown] ?? 0) + count
    if (shown === 'waiting') open += count
  }
  return {
    id,
    resource,
    key,
    receivedAt: formatInstant(receivedAt),
    // Not read to its end: the sender broke off, or is still sending.
    lines: end?.lines ?? null,
    items,
    refused: end?.refused ?? null,
    faults: end?.faults ?? [],
    unrouted,
    destinations,
    done: end !== null && open === 0,
  }
}

function readAfter(written: unknown): number {
  if (written === undefined) return 0
  if (typeof written === 'string' && /^\d{1,15}$/.test(written)) return Number(written)
  throw new UserError('after: give the number of a line.')
}
