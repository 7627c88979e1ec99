import { Refusal } from './refusal.ts'

/** A store as GET /api/Stores answers it (spec, "Store"). */
export type Store = (typeof STORES)[number]

/** A place that has goods: the stock of a store, or one without a store, where the names of the store's are its own. */
export type Stock = Pick<Store, 'StoreId' | 'StoreNo' | 'StoreName' | 'StockId' | 'Currency' | 'TimeZoneInfo'>

const CHAIN = { Legalname: 'Nordlys Retail AS', Orgnum: '912345678', Web: 'https://nordlys.example' }
const NORWAY = {
  Country: 'Norway',
  CountryCode: 'NO',
  Currency: 'NOK',
  TimeZone: 'W. Europe Standard Time',
  TimeZoneInfo: 'Europe/Oslo',
}

const SWEDEN = {
  Country: 'Sweden',
  CountryCode: 'SE',
  Currency: 'SEK',
  TimeZone: 'W. Europe Standard Time',
  TimeZoneInfo: 'Europe/Stockholm',
}

/** The retailer's stores, in two countries: each has a stock of its own. */
export const STORES = [
  {
    StoreId: 42,
    StoreNo: '101',
    ...CHAIN,
    StoreName: 'Oslo City',
    Address: 'Stenersgata 1',
    PostalCode: '0050',
    City: 'Oslo',
    Email: 'oslo@nordlys.example',
    Phone: '+47 22000000',
    StockId: 12,
    ...NORWAY,
  },
  {
    StoreId: 43,
    StoreNo: '102',
    ...CHAIN,
    StoreName: 'Bergen Torg',
    Address: 'Torgallmenningen 8',
    PostalCode: '5014',
    City: 'Bergen',
    Email: 'bergen@nordlys.example',
    Phone: '+47 55000000',
    StockId: 13,
    ...NORWAY,
  },
  {
    StoreId: 51,
    StoreNo: '201',
    ...CHAIN,
    StoreName: 'Stockholm Hamngatan',
    Address: 'Hamngatan 37',
    PostalCode: '111 53',
    City: 'Stockholm',
    Email: 'stockholm@nordlys.example',
    Phone: '+46 8000000',
    StockId: 21,
    ...SWEDEN,
  },
  {
    StoreId: 44,
    StoreNo: '103',
    ...CHAIN,
    StoreName: 'Trondheim Solsiden',
    Address: 'Beddingen 10',
    PostalCode: '7042',
    City: 'Trondheim',
    Email: 'trondheim@nordlys.example',
    Phone: '+47 73000000',
    StockId: 14,
    ...NORWAY,
  },
  {
    StoreId: 52,
    StoreNo: '202',
    ...CHAIN,
    StoreName: 'Göteborg Nordstan',
    Address: 'Nordstadstorget 6',
    PostalCode: '411 05',
    City: 'Göteborg',
    Email: 'goteborg@nordlys.example',
    Phone: '+46 31000000',
    StockId: 22,
    ...SWEDEN,
  },
]

/** The stock of the online store: no store has it, it is virtual, and it can be sold from. */
export const WEB_STOCK: Stock = {
  StoreId: 0,
  StoreNo: 'WEB',
  StoreName: 'Webshop',
  StockId: 900,
  Currency: 'NOK',
  TimeZoneInfo: 'Europe/Oslo',
}

/** Everything that has goods. */
export const STOCKS: readonly Stock[] = [...STORES, WEB_STOCK]

/** The store of this number. */
export function storeOf(number: string): Store {
  const found = STORES.find(({ StoreNo }) => StoreNo === number)
  if (!found) throw new Refusal(400, `There is no store ${number}: ${STORES.map(({ StoreNo }) => StoreNo).join(', ')}.`)
  return found
}

/** The stock of this name: its store's number, or `WEB`. */
export function stockOf(name: string): Stock {
  const found = STOCKS.find(({ StoreNo }) => StoreNo === name)
  if (!found) throw new Refusal(400, `There is no stock ${name}: ${STOCKS.map(({ StoreNo }) => StoreNo).join(', ')}.`)
  return found
}
