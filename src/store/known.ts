import { doubtedKeyOf, KEY_ORDER, type KnownEvent, keysOf, type Told, transportKeyOf } from './key.ts'
import type { Owed } from './owed.ts'
import { goneEvents } from './tables/gone-events.ts'
import { query, type Steps, statement } from './tables/statement.ts'

const findEvents = statement<Omit<KnownEvent, 'by' | 'hasKey'> & { hasKey: unknown }>(
  `select id, body_hash as "bodyHash", transport_key is not null as "hasKey", received_at as "receivedAt", subscription
     from events where id = any($1::bigint[])`,
)

/** Keys → events. */
type FindKeys = (keys: readonly string[]) => Steps<ReadonlyMap<string, number>>

/** What is known by deduplication keys, before anything is stored. */
export function knownBy(findKeys: FindKeys) {
  return {
    *seen(origin: string, transportKeys: readonly string[]): Steps<Set<string>> {
      const found = yield* findKeys(transportKeys.map((key) => transportKeyOf(origin, key)))
      return new Set(transportKeys.filter((key) => found.has(transportKeyOf(origin, key))))
    },

    *owedBefore(steps: readonly Owed[]): Steps<(number | null)[]> {
      const doubted = steps.map(doubtedKeyOf)
      const found = yield* findKeys(doubted.filter((key) => key !== null))
      return doubted.map((key) => (key === null ? null : (found.get(key) ?? null)))
    },

    *known(those: readonly Told[]): Steps<(KnownEvent | null)[]> {
      const own = those.map((told) => {
        const keys = keysOf(told)
        return KEY_ORDER.flatMap((by) => (keys[by] === null ? [] : [{ by, key: keys[by] }]))
      })
      const found = yield* findKeys(own.flat().map(({ key }) => key))
      const ids = [...new Set(found.values())]
      const rows = ids.length === 0 ? [] : yield* query(findEvents, [ids])
      const events = new Map(rows.map((row) => [row.id, { ...row, hasKey: Boolean(row.hasKey) }]))
      for (const { id, bodyHash, hasKey, receivedAt } of yield* goneEvents(ids.filter((id) => !events.has(id))))
        events.set(id, { id, bodyHash, hasKey, receivedAt, subscription: null })
      return own.map((keys) => {
        for (const { by, key } of keys) {
          const event = events.get(found.get(key) ?? 0)
          if (event) return { ...event, by }
        }
        return null
      })
    },
  }
}
