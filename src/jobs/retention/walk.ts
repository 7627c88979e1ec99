import { type Ages, ageOf, agesOf, type Part } from '../../domain/retention/ages.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { AgeingEvent } from '../../store/retention/pruning.ts'
import type { Store } from '../../store/store.ts'

/** Events that are read at once. */
const PAGE = 1_000

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

/** An event whose part has had its time, pages of them, oldest first; each differing age has a walk of its own. */
export async function* walkOld({ store, ages, part, now, upTo, last, signal }: Walk): AsyncGenerator<AgeingEvent[]> {
  for (const age of agesOf(ages, part)) {
    const name = `${part}:${age}`
    for (;;) {
      signal.throwIfAborted()
      const rows = await store.ageing(upTo[name] ?? 0, PAGE)
      const end = rows.findIndex(({ id, receivedAt }) => id > last || receivedAt >= now - age)
      const seen = end < 0 ? rows : rows.slice(0, end)
      yield seen.filter(({ kind }) => ageOf(ages, part, kind) === age)
      upTo[name] = seen.at(-1)?.id ?? upTo[name] ?? 0
      if (end >= 0 || rows.length < PAGE) break
    }
  }
}
