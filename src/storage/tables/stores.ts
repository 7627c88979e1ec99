import type { FormerPlace } from '../../domain/stores/former-place.ts'
import type { StoreRecord } from '../../domain/stores/store-index.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { StoredStore } from '../rows.ts'
import { lockOf, query, rowsOf, type Steps, statement } from './statement.ts'

type Row = StoredStore & { former: string | null }

const all = statement<Row>(`
  select store_id as "storeId", number, name, stock_id as "stockId", country_code as "countryCode", currency, zone,
      gone_at as "goneAt", former
    from stores order by store_id collate "C"`)
/** Two concurrent lists would each mark the other's as gone. */
const lock = lockOf('stores')
const markAll = statement('update stores set gone_at = $1 where gone_at is null')
const put = statement(`
  insert into stores (store_id, number, name, stock_id, country_code, currency, zone, former)
    select "storeId", number, name, "stockId", "countryCode", currency, zone, former
      from json_to_recordset($1::text::json) as s ("storeId" text, number text, name text, "stockId" text,
        "countryCode" text, currency text, zone text, former text)
      where true
    on conflict (store_id) do update set number = excluded.number, name = excluded.name, stock_id = excluded.stock_id,
      country_code = excluded.country_code, currency = excluded.currency, zone = excluded.zone, gone_at = null,
      former = excluded.former`)

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
