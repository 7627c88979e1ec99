import type { Request, Response } from 'express'
import type { SubmitScope } from '../../domain/access/scope.ts'
import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import { answerProblem } from '../../lib/http/problem.ts'
import type { Verdict } from '../../store/arrival.ts'
import type { LineFaults } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { endWith } from '../problem.ts'
import { cancelledBefore, type KnownOrders } from './known-orders.ts'
import type { Readable, StoresUnknownError } from './resources/resource.ts'

export interface Taking {
  inbox: Pick<Inbox, 'accept'>
  store: Pick<Store, 'seen' | 'submission' | 'endSubmission'>
  known: KnownOrders
  clock: Clock
}

/** The name of a submission: `key` tells it from others of its system and resource. */
export interface SubmissionName {
  system: string
  scope: SubmitScope
  key: string
}

export interface ReadLine extends Readable {
  line: number
}

/** How many lines a submission had, and what became of them. */
export interface Tally {
  /** The id of this request's submission; null: nothing of it was kept under its key. */
  id: number | null
  /** The submission that the first line that is a copy came in first. */
  first: number | null
  lines: number
  accepted: number
  duplicates: number
  refused: number
  faults: LineFaults[]
  conflicts: { line: number; submission: number | null }[]
}

/** The largest JSON body, before and after decompression (bytes). NDJSON has no limit. */
export const LARGEST_JSON = 8_000_000

const LISTED = 1_000

/** The most lines that share a commit. */
const LINES_PER_COMMIT = 500

export interface Submission {
  tally: Tally
  /**
   * Takes lines, durably; false: the key was used before for other content, and none of these was taken. Rejects with a
   * StoreUnavailableError; what was taken before stays.
   */
  take(lines: readonly ReadLine[]): Promise<boolean>
  refuse(line: number, faults: string[]): void
  end(): Promise<void>
}

export function createSubmission(
  { inbox, store, known, clock }: Taking,
  { system, scope, key }: SubmissionName,
): Submission {
  const tally: Tally = {
    id: null,
    first: null,
    lines: 0,
    accepted: 0,
    duplicates: 0,
    refused: 0,
    faults: [],
    conflicts: [],
  }
  const others = new Set<number>()

  async function takeTogether(lines: readonly ReadLine[]): Promise<boolean> {
    const named = lines.map((line) => ({ ...line, transportKey: `${scope}/${key}/${line.line}` }))
    const seen = await store.seen(
      system,
      named.map(({ transportKey }) => transportKey),
    )
    // Lines that are there already tell whether the key stands for other content, before anything new is taken under it.
    const again = named.filter(({ transportKey }) => seen.has(transportKey))
    const verdicts = await Promise.all(again.map(accept))
    if (verdicts.some((verdict) => verdict.status === 'duplicate' && verdict.otherBytes)) return false
    tally.id ??= await ownOf(verdicts)
    again.forEach(({ line }, index) => {
      count(line, verdicts[index] as Verdict)
    })
    const fresh = named.filter(({ transportKey }) => !seen.has(transportKey))
    const taken = await Promise.all(fresh.map(accept))
    let reused = false
    for (const [index, one] of fresh.entries()) {
      const verdict = taken[index] as Verdict
      const off = verdict.status === 'duplicate' && (await cancelledNumber(one))
      // Another request with this key came in between.
      if (verdict.status === 'duplicate' && verdict.otherBytes) reused = true
      else if (off) refuse(one.line, [cancelledBefore(off)])
      else count(one.line, verdict)
    }
    return !reused
  }

  /** An order that is off does not come back as a copy of itself; its sender would wait for it. Null: it is none. */
  async function cancelledNumber({ kind, payload }: Readable): Promise<string | null> {
    if (kind !== 'OrderSubmitted') return null
    const { orderNo } = payload as SubmittedOrder
    return (await known.find(orderNo))?.cancelled ? orderNo : null
  }

  function refuse(line: number, faults: string[]): void {
    tally.lines += 1
    tally.refused += 1
    list(line, faults)
  }

  /** The id of this very submission, where lines of it were there: a line may also be a copy of what came in another one. */
  async function ownOf(verdicts: readonly Verdict[]): Promise<number | null> {
    for (const verdict of verdicts) {
      const id = verdict.status === 'duplicate' ? verdict.submission : null
      if (id === null || others.has(id)) continue
      const found = await store.submission(id)
      if (found?.system === system && found.resource === scope && found.key === key) return id
      others.add(id)
    }
    return null
  }

  function accept({
    line,
    kind,
    payload,
    links,
    acknowledges,
    transportKey,
  }: ReadLine & { transportKey: string }): Promise<Verdict> {
    return inbox.accept({
      kind,
      origin: system,
      subscription: null,
      receivedAt: clock.now(),
      headers: {},
      body: Buffer.from(JSON.stringify(payload)),
      transportKey,
      unreadable: null,
      submission: { resource: scope, key, line },
      ...(acknowledges && { acknowledges }),
      ...(links && { links: links.map((link) => ({ ...link, destination: system })) }),
    })
  }

  function count(line: number, verdict: Verdict): void {
    tally.lines += 1
    if (verdict.status === 'quarantined') {
      tally.refused += 1
      list(line, [TOO_LONG])
    } else if (verdict.status === 'accepted') {
      tally.accepted += 1
      tally.id ??= verdict.submission
    } else if (verdict.status === 'duplicate') {
      tally.duplicates += 1
      tally.first ??= verdict.submission
    } else {
      tally.refused += 1
      if (tally.conflicts.length < LISTED) tally.conflicts.push({ line, submission: verdict.submission })
      list(line, [conflictText(scope, verdict.submission)])
    }
  }

  function list(line: number, faults: string[]): void {
    if (tally.faults.length < LISTED) tally.faults.push({ line, faults })
  }

  return {
    tally,
    async take(lines) {
      for (let from = 0; from < lines.length; from += LINES_PER_COMMIT)
        if (!(await takeTogether(lines.slice(from, from + LINES_PER_COMMIT)))) return false
      return true
    },
    refuse,
    async end() {
      const { id, lines, refused, faults } = tally
      if (id !== null) await store.endSubmission(id, { at: clock.now(), lines, refused, faults })
    },
  }
}

/** Each name of a line was checked; together they are longer than anything is found by. */
const TOO_LONG = 'its names are too long together: nothing can be found by them'

function conflictText(scope: SubmitScope, submission: number | null): string {
  const where = submission === null ? '' : `, in submission ${submission}`
  const wayOut =
    scope === 'sales'
      ? '. Where it is another sale of the order (a part delivery, a return), give it a part or a saleGuid of its own'
      : ''
  return `the same was submitted before with other content${where}: what was taken first stays${wayOut}`
}

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
