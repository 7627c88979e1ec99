import type { Database } from 'better-sqlite3'
import type { StoreRecord } from '../../domain/places/store-record.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { KeptStore } from '../kept.ts'

/** The platform's stores. It runs inside a transaction of the caller. */
export function createStores(db: Database) {
  const all = db.prepare<[], KeptStore>(
    `select store_id as storeId, number, name, stock_id as stockId, country_code as countryCode, currency, zone,
       gone_at as goneAt from stores order by store_id`,
  )
  const markAll = db.prepare('update stores set gone_at = ? where gone_at is null')
  // The statement takes the mark away again from each store that is still there.
  const put = db.prepare(
    `insert or replace into stores (store_id, number, name, stock_id, country_code, currency, zone, gone_at)
       values (@storeId, @number, @name, @stockId, @countryCode, @currency, @zone, null)`,
  )

  return {
    stores: (): KeptStore[] => all.all(),

    saveStores(records: StoreRecord[], now: Instant): void {
      markAll.run(now)
      for (const record of records) put.run(record)
    },
  }
}
