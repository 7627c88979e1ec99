import type { RequestHandler, Response } from 'express'
import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import type { SubmitScope } from '../../domain/scope.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Verdict } from '../../storage/arrival.ts'
import type { LineFaults, SubmissionDetail } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { apiKeyOf } from '../api-key.ts'
import { type ProblemError, refusal, sendProblem } from '../problem.ts'
import { readQuery } from '../query.ts'
import { STATUS_PARAMETERS } from './asked.ts'
import { LISTED, type ReadLine } from './body/read-body.ts'
import { cancelledBefore, type KnownOrders } from './known-orders.ts'
import type { Readable } from './reading.ts'

interface Taking {
  inbox: Pick<Inbox, 'accept'>
  storage: Pick<Storage, 'seen' | 'submission' | 'endSubmission'>
  known: KnownOrders
  clock: Clock
}

export interface TakeCounts {
  /** Null: nothing is stored under this key. */
  id: number | null
  /** The submission of the first duplicate. */
  first: number | null
  lines: number
  accepted: number
  duplicates: number
  refused: number
  faults: LineFaults[]
  /** Null: not known. */
  conflicts: (number | null)[]
}

const LINES_PER_COMMIT = 500

export type Submission = ReturnType<typeof createSubmission>

export function createSubmission(
  { inbox, storage, known, clock }: Taking,
  { system, scope, key }: { system: string; scope: SubmitScope; key: string },
) {
  const none = { id: null, first: null, lines: 0, accepted: 0, duplicates: 0, refused: 0 }
  const takeCounts: TakeCounts = { ...none, faults: [], conflicts: [] }
  const others = new Set<number>()

  async function takeTogether(lines: readonly ReadLine[]): Promise<void> {
    const named = lines.map((line) => ({ ...line, transportKey: transportKey(scope, key, line.line) }))
    const keys = named.map(({ transportKey }) => transportKey)
    const seen = await storage.seen(system, keys)
    // Checked before anything new is taken under the key.
    const again = named.filter(({ transportKey }) => seen.has(transportKey))
    const verdicts = await Promise.all(again.map(accept))
    if (verdicts.some(isOther)) throw keyReused(takeCounts)
    takeCounts.id ??= await ownOf(verdicts)
    for (const [index, { line }] of again.entries()) count(line, verdicts[index] as Verdict)
    const fresh = named.filter(({ transportKey }) => !seen.has(transportKey))
    const taken = await Promise.all(fresh.map(accept))
    for (const [index, one] of fresh.entries()) {
      const verdict = taken[index] as Verdict
      // A copy does not bring a cancelled order back.
      const cancelled = verdict.status === 'duplicate' && !isOther(verdict) && (await cancelledNumber(one))
      if (cancelled) refuse(one.line, [cancelledBefore(cancelled)])
      else if (!isOther(verdict)) count(one.line, verdict)
    }
    if (taken.some(isOther)) throw keyReused(takeCounts)
  }

  async function cancelledNumber({ kind, payload }: Readable): Promise<string | null> {
    if (kind !== 'OrderSubmitted') return null
    const { orderNo } = payload as SubmittedOrder
    return (await known.find(orderNo))?.cancelled ? orderNo : null
  }

  function refuse(line: number, faults: string[]): void {
    takeCounts.lines += 1
    takeCounts.refused += 1
    if (takeCounts.faults.length < LISTED) takeCounts.faults.push({ line, faults })
  }

  async function ownOf(verdicts: readonly Verdict[]): Promise<number | null> {
    for (const verdict of verdicts) {
      const id = verdict.status === 'duplicate' ? verdict.submission : null
      if (id === null || others.has(id)) continue
      const found = await storage.submission(id)
      if (found?.system === system && found.resource === scope && found.key === key) return id
      others.add(id)
    }
    return null
  }

  function accept(item: ReadLine & { transportKey: string }): Promise<Verdict> {
    const { line, kind, payload, links, acknowledges, transportKey } = item
    return inbox.accept({
      ...{ kind, origin: system, subscription: null, receivedAt: clock.now(), headers: {}, transportKey },
      body: Buffer.from(JSON.stringify(payload)),
      unreadable: null,
      submission: { resource: scope, key, line },
      ...(acknowledges && { acknowledges }),
      ...(links && { links: links.map((link) => ({ ...link, destination: system })) }),
    })
  }

  function count(line: number, verdict: Verdict): void {
    if (verdict.status === 'quarantined') refuse(line, [TOO_LONG])
    else if (verdict.status === 'conflict') {
      if (takeCounts.conflicts.length < LISTED) takeCounts.conflicts.push(verdict.submission)
      refuse(line, [conflictText(scope, verdict.submission)])
    } else if (verdict.status === 'accepted') {
      takeCounts.lines += 1
      takeCounts.accepted += 1
      takeCounts.id ??= verdict.submission
    } else {
      takeCounts.lines += 1
      takeCounts.duplicates += 1
      takeCounts.first ??= verdict.submission
    }
  }

  return {
    takeCounts,
    /** Durable. Throws a ProblemError if the key has other content: none of these is taken. */
    async take(lines: readonly ReadLine[]): Promise<void> {
      for (let from = 0; from < lines.length; from += LINES_PER_COMMIT)
        await takeTogether(lines.slice(from, from + LINES_PER_COMMIT))
    },
    refuse,
    async end(): Promise<void> {
      const { id, lines, refused, faults } = takeCounts
      if (id !== null) await storage.endSubmission(id, { at: clock.now(), lines, refused, faults })
    },
  }
}

export function transportKey(scope: SubmitScope, key: string, line: number): string {
  return `${scope}/${key}/${line}`
}

function isOther(verdict: Verdict): boolean {
  return verdict.status === 'duplicate' && verdict.otherBytes
}

const TOO_LONG = 'its names are too long together: nothing can be found by them'

function conflictText(scope: SubmitScope, submission: number | null): string {
  const where = submission === null ? '' : `, in submission ${submission}`
  const wayOut =
    scope === 'sales'
      ? '. Where it is another sale of the order (a part delivery, a return), give it a part or a saleGuid of its own'
      : ''
  return `the same was submitted before with other content${where}: what was taken first stays${wayOut}`
}

export function answerTaken(response: Response, takeCounts: TakeCounts, atomic: boolean): void {
  const { id, first, lines, accepted, duplicates, refused, faults, conflicts } = takeCounts
  const taken = accepted + duplicates
  if (lines === 0) throw invalid([{ line: 1, faults: ['found no item, expected at least one'] }], 0)
  if (conflicts.length > 0 && (atomic || taken === 0)) throw conflict(takeCounts)
  if (taken === 0) throw invalid(faults, lines)
  const status = accepted > 0 ? 'accepted' : 'duplicate'
  const url = `/v1/submissions/${id ?? first}`
  const answer = { id: id ?? first, status, lines, accepted, duplicates, refused, faults, url }
  response.status(accepted > 0 ? 202 : 200).json(answer)
}

export function invalid(faults: readonly LineFaults[], lines: number): ProblemError {
  const count = faults.length === 1 ? 'One item has' : `${faults.length} items have`
  return refusal(
    'invalid',
    `${count} faults, so nothing was taken. Correct them and send it again, with the same Idempotency-Key.`,
    { lines, faults },
  )
}

function conflict({ id, lines, accepted, duplicates, refused, conflicts, faults }: TakeCounts): ProblemError {
  const first = conflicts[0] ?? null
  const others = accepted + duplicates === 0 ? 'Nothing was taken.' : `${accepted + duplicates} other items are taken.`
  const where = first === null ? '' : ` in submission ${first}`
  return refusal(
    'conflict',
    `The same was submitted before with other content${where}; what was taken first stays. ${others}`,
    { id, submission: first, lines, accepted, duplicates, refused, faults },
  )
}

function keyReused({ id, lines, accepted, duplicates }: TakeCounts): ProblemError {
  return refusal(
    'idempotency-key-reused',
    'It was used before with other content. Send new content with a new key; send the old again as it was.',
    { ...(id !== null && { submission: id }), lines, accepted, duplicates },
  )
}

const PAGE = 100

export function createStatus(storage: Pick<Storage, 'submission' | 'submissionItems'>): RequestHandler {
  return async (request, response) => {
    const { id = '' } = request.params as { id?: string }
    const { after = 0 } = readQuery(request, STATUS_PARAMETERS)
    const found = /^\d{1,15}$/.test(id) ? await storage.submission(Number(id)) : null
    if (!found || found.system !== apiKeyOf(response).system) {
      const detail = 'Your system has no submission of this id.'
      return sendProblem(response, 'not-found', detail)
    }
    const failed = await storage.submissionItems(found.id, { states: ['dead', 'held'], after, limit: PAGE })
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
    ...{ id, resource, key, receivedAt: formatInstant(receivedAt) },
    lines: end?.lines ?? null,
    items,
    refused: end?.refused ?? null,
    faults: end?.faults ?? [],
    ...{ unrouted, destinations, done: end !== null && open === 0 },
  }
}
