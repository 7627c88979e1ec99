import { doubtedKeyOf, KEY_ORDER, type KnownEvent, keysOf, type Told, transportKeyOf } from '../key.ts'
import type { Owed } from '../owed.ts'
import { goneEvents } from '../tables/gone-events.ts'
import { asUuid, findKeys } from './keys.ts'
import { type Database, perform, prepared } from './server/database.ts'

const findEvents = prepared<Omit<KnownEvent, 'by'>>(
  `select id, body_hash as "bodyHash", transport_key is not null as "hasKey", received_at as "receivedAt", subscription
     from events where id = any($1::bigint[])`,
)

export function createKnown(db: Database) {
  return {
    async seen(origin: string, transportKeys: readonly string[]): Promise<Set<string>> {
      const byKey = new Map(transportKeys.map((key) => [asUuid(transportKeyOf(origin, key)), key]))
      const found = await findKeys(db, [...byKey.keys()])
      return new Set([...found.keys()].map((key) => byKey.get(key) ?? ''))
    },

    async owedBefore(steps: readonly Owed[]): Promise<(number | null)[]> {
      const doubted = steps.map(doubtedKeyOf).map((key) => (key === null ? null : asUuid(key)))
      const found = await findKeys(db, [...new Set(doubted.filter((key) => key !== null))])
      return doubted.map((key) => (key === null ? null : (found.get(key) ?? null)))
    },

    async known(those: readonly Told[]): Promise<(KnownEvent | null)[]> {
      const own = those.map((told) => {
        const keys = keysOf(told)
        return KEY_ORDER.flatMap((by) => (keys[by] === null ? [] : [{ by, key: asUuid(keys[by]) }]))
      })
      const found = await findKeys(db, [...new Set(own.flat().map(({ key }) => key))])
      const rows = await db.query(findEvents, [[...new Set(found.values())]])
      const events = new Map(rows.map((row) => [row.id, row]))
      for (const gone of await perform(db, goneEvents([...new Set(found.values())].filter((id) => !events.has(id))))) {
        const { id, bodyHash, hasKey, receivedAt } = gone
        // Deleted events keep no subscription.
        events.set(id, { id, bodyHash, hasKey, receivedAt, subscription: null })
      }
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
