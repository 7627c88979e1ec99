import type { Instant } from '../../values/instant.ts'
import type { KeptGap, SeenGap } from '../gap.ts'

/** The beginning of the subjects of such gaps: the key of the calls follows. */
const SECOND_CALL = 'second-call/'

/** What is kept of a second call that was made because nothing was found of the first. */
export interface SecondCall {
  delivery: number
  flow: string
  calledAt: Instant
  /** How often it was looked up since. */
  looks: number
}

/** The note of a second call: the destination may have it twice. */
export function secondCall(
  { key, ...where }: Pick<SeenGap, 'kind' | 'at'> & { destination: string; key: string },
  { delivery, flow, calledAt, looks }: SecondCall,
): SeenGap {
  return {
    ...where,
    road: 'destination',
    cause: 'possible-duplicate',
    storeId: null,
    day: null,
    subject: `${SECOND_CALL}${key}`,
    evidence: { destination: { delivery, flow, calledAt, looks } },
  }
}

/** The second call that a gap is of, with its key; null: it is of none. */
export function secondCallOf({
  subject,
  evidence,
}: Pick<KeptGap, 'subject' | 'evidence'>): (SecondCall & { key: string }) | null {
  const { delivery, flow, calledAt, looks } = evidence.destination ?? {}
  if (!subject.startsWith(SECOND_CALL)) return null
  if (typeof delivery !== 'number' || typeof flow !== 'string' || typeof calledAt !== 'number') return null
  return { key: subject.slice(SECOND_CALL.length), delivery, flow, calledAt, looks: Number(looks ?? 0) }
}
