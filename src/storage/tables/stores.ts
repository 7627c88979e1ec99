import type { FormerPlace, StoreRecord } from '../../domain/stores/store-index.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { StoredStore } from '../rows.ts'
import { insertOf, lockOf, query, rowsOf, type Steps, selected, setAll, statement } from './statement.ts'

type Row = StoredStore & { former: string | null }

const REST = ['number', 'name', 'stockId', 'countryCode', 'currency', 'zone', 'former'] as const
const all = statement<Row>(`select ${selected('storeId', ...REST, 'goneAt')} from stores order by store_id collate "C"`)
/** Two concurrent lists would each mark the other's as gone. */
const lock = lockOf('stores')
const markAll = statement('update stores set gone_at = $1 where gone_at is null')
const PUT = Object.fromEntries(['storeId', ...REST].map((name) => [name, 'text'] as const))
const put = insertOf('stores', PUT, `on conflict (store_id) ${setAll(...REST)}, gone_at = null`)

export const storeReads = {
  *stores(): Steps<StoredStore[]> {
    return (yield* query(all)).map(({ former: _, ...store }) => store)
  },
  *formerPlaces(): Steps<FormerPlace[]> {
    return (yield* query(all)).flatMap(({ storeId, former }) =>
      placesIn(former).map((place) => ({ storeId, ...place })),
    )
  },
}

export const storeWrites = {
  *saveStores(records: readonly StoreRecord[], now: Instant): Steps<void> {
    yield* query(lock)
    const before = new Map((yield* query(all)).map((store) => [store.storeId, store]))
    yield* query(markAll, [now])
    const after = new Map(records.map((record) => [record.storeId, record]))
    const rows = [...after.values()].map((store) => ({
      ...store,
      former: formerOf(before.get(store.storeId), store, now),
    }))
    yield* query(put, [rowsOf(rows)])
  },
}

function formerOf(was: Row | undefined, is: StoreRecord, now: Instant): string | null {
  if (!was || (was.number === is.number && was.stockId === is.stockId)) return was?.former ?? null
  return JSON.stringify([...placesIn(was.former), { number: was.number, stockId: was.stockId, until: now }])
}

function placesIn(former: string | null): Omit<FormerPlace, 'storeId'>[] {
  return former === null ? [] : JSON.parse(former)
}
