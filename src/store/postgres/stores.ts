import type { FormerPlace } from '../../domain/places/former-place.ts'
import type { StoreRecord } from '../../domain/places/store-index.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { eachStoreOnce, type FormerPlaces, type KeptStore, readFormerPlaces } from '../kept.ts'
import { type Database, prepared, rowsOf } from './server/database.ts'

const all = prepared<KeptStore>(`
  select store_id as "storeId", number, name, stock_id as "stockId", country_code as "countryCode", currency, zone,
      gone_at as "goneAt"
    from stores order by store_id collate "C"`)

/** One at a time: two lists at once would each mark what the other has. */
const lock = prepared('lock table stores in share row exclusive mode')
const markAll = prepared('update stores set gone_at = $1 where gone_at is null')
// The statement takes the mark away again from each store that is still there.
const put = prepared(`
  insert into stores (store_id, number, name, stock_id, country_code, currency, zone)
    select "storeId", number, name, "stockId", "countryCode", currency, zone
      from json_to_recordset($1::text::json) as s ("storeId" text, number text, name text, "stockId" text,
        "countryCode" text, currency text, zone text)
    on conflict (store_id) do update set number = excluded.number, name = excluded.name, stock_id = excluded.stock_id,
      country_code = excluded.country_code, currency = excluded.currency, zone = excluded.zone, gone_at = null,
      former = case when stores.number is not distinct from excluded.number and stores.stock_id is not distinct from excluded.stock_id
        then stores.former
        else (coalesce(stores.former, '[]')::jsonb || jsonb_build_array(
          jsonb_build_object('number', stores.number, 'stockId', stores.stock_id, 'until', $2::bigint)))::text end`)
const former = prepared<FormerPlaces>(
  `select store_id as "storeId", former from stores where former is not null order by store_id collate "C"`,
)

/** The platform's stores. */
export function createStores(db: Database) {
  return {
    stores: (): Promise<KeptStore[]> => db.query(all),

    async saveStores(records: StoreRecord[], now: Instant): Promise<void> {
      await db.transaction(async (session) => {
        await session.query(lock)
        await session.query(markAll, [now])
        await session.query(put, [rowsOf(eachStoreOnce(records)), now])
      })
    },

    formerPlaces: async (): Promise<FormerPlace[]> => (await db.query(former)).flatMap(readFormerPlaces),
  }
}
