import type { Database } from 'better-sqlite3'
import type { FormerPlace } from '../../domain/places/former-place.ts'
import type { StoreRecord } from '../../domain/places/store-index.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { eachStoreOnce, type FormerPlaces, type KeptStore, readFormerPlaces } from '../kept.ts'

/** The platform's stores. It runs inside a transaction of the caller. */
export function createStores(db: Database) {
  const all = db.prepare<[], KeptStore>(
    `select store_id as storeId, number, name, stock_id as stockId, country_code as countryCode, currency, zone,
       gone_at as goneAt from stores order by store_id`,
  )
  const markAll = db.prepare('update stores set gone_at = ? where gone_at is null')
  // The statement takes the mark away again from each store that is still there.
  const put = db.prepare(
    `insert into stores (store_id, number, name, stock_id, country_code, currency, zone)
       values (@storeId, @number, @name, @stockId, @countryCode, @currency, @zone)
       on conflict (store_id) do update set number = excluded.number, name = excluded.name, stock_id = excluded.stock_id,
         country_code = excluded.country_code, currency = excluded.currency, zone = excluded.zone, gone_at = null,
         former = case when number is excluded.number and stock_id is excluded.stock_id then former
           else json_insert(coalesce(former, '[]'), '$[#]', json_object('number', number, 'stockId', stock_id, 'until', @now)) end`,
  )
  const former = db.prepare<[], FormerPlaces>(
    'select store_id as storeId, former from stores where former is not null order by store_id',
  )

  return {
    stores: (): KeptStore[] => all.all(),

    saveStores(records: StoreRecord[], now: Instant): void {
      markAll.run(now)
      for (const record of eachStoreOnce(records)) put.run({ ...record, now })
    },

    formerPlaces: (): FormerPlace[] => former.all().flatMap(readFormerPlaces),
  }
}
