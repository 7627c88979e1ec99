import type { Instant } from '../../values/instant.ts'
import type { KeptGap, SeenGap } from '../gap.ts'

/** Subject prefix; the key of the calls follows. */
const SECOND_CALL = 'second-call/'

/** A second call, made because nothing was found of the first. */
export interface SecondCall {
  delivery: number
  flow: string
  calledAt: Instant
  /** Lookups since. */
  looks: number
}

export function secondCall(
  { key, ...where }: Pick<SeenGap, 'kind' | 'at'> & { destination: string; key: string },
  { delivery, flow, calledAt, looks }: SecondCall,
): SeenGap {
  const about = { road: 'destination', cause: 'possible-duplicate', storeId: null, day: null } as const
  const evidence = { destination: { delivery, flow, calledAt, looks } }
  return { ...where, ...about, subject: `${SECOND_CALL}${key}`, evidence }
}

/** Null: the gap is of no second call. */
export function secondCallOf({
  subject,
  evidence,
}: Pick<KeptGap, 'subject' | 'evidence'>): (SecondCall & { key: string }) | null {
  const { delivery, flow, calledAt, looks } = evidence.destination ?? {}
  if (!subject.startsWith(SECOND_CALL)) return null
  if (typeof delivery !== 'number' || typeof flow !== 'string' || typeof calledAt !== 'number') return null
  return { key: subject.slice(SECOND_CALL.length), delivery, flow, calledAt, looks: Number(looks ?? 0) }
}
