import type { Instant } from '../../../src/domain/values/instant.ts'
import type { Claim } from '../../../src/storage/claim.ts'
import type { StoreUnderTest } from '../under-test.ts'

/** One of two stores that are told the same. */
export interface Twin {
  the: StoreUnderTest
  /** The events by the order in which they were first told of. */
  events: number[]
  submissions: number[]
  /** What was claimed and not settled, by name, and when. */
  claims: Map<string, Claimed>
}

type Claimed = Claim & { at: Instant }

/** What is done to both: what it says is the same of both. */
export interface Act {
  name: string
  on(twin: Twin): Promise<unknown>
}

export function sorted<T>(them: readonly T[], by: (one: T) => string): T[] {
  return [...them].sort((a, b) => (by(a) < by(b) ? -1 : 1))
}

/** Events are named by the order in which they came: ids may differ. */
export function nameOfEvent({ events }: Twin, id: number | null): number | null {
  return id === null ? null : events.indexOf(id)
}

/** What becomes of a claim whose lease is over, or whose hub is gone, is not the same: one of the stores has one hub. */
export async function giveAllBack({ the, claims }: Twin): Promise<void> {
  await the.storage.returnClaims([...claims.values()].map(({ fence }) => fence))
  claims.clear()
}
