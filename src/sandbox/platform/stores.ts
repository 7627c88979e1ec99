import { Refusal } from './refusal.ts'

/** A store as GET /api/Stores answers it (spec, "Store"). */
export type Store = (typeof STORES)[number]

const CHAIN = { Legalname: 'Nordlys Retail AS', Orgnum: '912345678', Web: 'https://nordlys.example' }
const NORWAY = {
  Country: 'Norway',
  CountryCode: 'NO',
  Currency: 'NOK',
  TimeZone: 'W. Europe Standard Time',
  TimeZoneInfo: 'Europe/Oslo',
}

/** The retailer's stores: two share a country, each has a stock of its own. */
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
    Country: 'Sweden',
    CountryCode: 'SE',
    Email: 'stockholm@nordlys.example',
    Phone: '+46 8000000',
    StockId: 21,
    Currency: 'SEK',
    TimeZone: 'W. Europe Standard Time',
    TimeZoneInfo: 'Europe/Stockholm',
  },
]

/** The store of this number. */
export function storeOf(number: string): Store {
  const found = STORES.find(({ StoreNo }) => StoreNo === number)
  if (!found) throw new Refusal(400, `There is no store ${number}: ${STORES.map(({ StoreNo }) => StoreNo).join(', ')}.`)
  return found
}
