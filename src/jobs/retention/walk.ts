import { type Ages, ageOf, agesOf, type Part } from '../../domain/retention/ages.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import type { AgeingEvent } from '../../store/retention/pruning.ts'
import type { Store } from '../../store/store.ts'

/** Events that are read at once. */
const PAGE = 1_000

/** Events of a time that is still to come that are gone over to find what came after them. Behind more of them the walk waits. */
const MOST_UNDATED = 100_000

interface Walk {
  store: Pick<Store, 'ageing'>
  ages: Ages
  part: Extract<Part, 'events' | 'payloads'>
  now: Instant
  /** By part and age: the event behind which it goes on; changed as it goes. */
  upTo: Record<string, number>
  /** It does not go behind this event. */
  last: number
  signal: AbortSignal
}

/**
 * An event whose part has had its time, pages of them, oldest first; each differing age has a walk of its own. What a clock that was ahead
 * has dated is as old as what came after it: else it would keep all behind it until that time has come.
 */
export async function* walkOld({ store, ages, part, now, upTo, last, signal }: Walk): AsyncGenerator<AgeingEvent[]> {
  for (const age of agesOf(ages, part)) {
    const name = `${part}:${age}`
    let undated: AgeingEvent[] = []
    for (let after = upTo[name] ?? 0; ; ) {
      signal.throwIfAborted()
      const rows = await store.ageing(after, PAGE)
      const end = rows.findIndex(
        ({ id, receivedAt }) => id > last || (receivedAt >= now - age && !isStillToCome(receivedAt, now)),
      )
      const seen = [...undated, ...(end < 0 ? rows : rows.slice(0, end))]
      const old = seen.slice(0, seen.findLastIndex(({ receivedAt }) => receivedAt < now - age) + 1)
      yield old.filter(({ kind }) => ageOf(ages, part, kind) === age)
      upTo[name] = old.at(-1)?.id ?? upTo[name] ?? 0
      undated = seen.slice(old.length)
      after = rows.at(-1)?.id ?? after
      if (end >= 0 || rows.length < PAGE || undated.length > MOST_UNDATED) break
    }
  }
}
