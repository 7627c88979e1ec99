import type { StoreDetails } from '../../../domain/places/store-index.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { idText, text } from '../../../domain/values/field.ts'
import { zoneOf } from '../../../domain/values/store-time.ts'
import { tooLongName } from '../../../domain/values/text.ts'
import type { Client } from '../../http/client.ts'
import { readListed, requiredId, UnexpectedAnswer, type WireRecord } from '../../http/read.ts'
import type { Platform, PlatformStore } from '../../platform.ts'

export function createStores(client: Client): Platform['stores'] {
  return {
    async list(signal) {
      const listed = await client.read('stores.list', { signal }, (answer) => readListed(answer, 'store', readStore))
      client.aside('stores.list', '', listed.aside)
      return listed
    },
  }
}

function readStore(record: WireRecord): PlatformStore {
  return {
    storeId: readId(record),
    number: text(record, 'StoreNo'),
    name: text(record, 'StoreName'),
    stockId: idText(record, 'StockId'),
    countryCode: text(record, 'CountryCode')?.toUpperCase() ?? null,
    currency: text(record, 'Currency')?.toUpperCase() ?? null,
    zone: readZone(record),
    record,
  }
}

/** Stores are looked up by id: an id that no index takes is unreadable. */
function readId(record: WireRecord): string {
  const id = requiredId(record, 'StoreId')
  if (tooLongName([id]) !== null) throw new UnexpectedAnswer(`has a StoreId of ${Buffer.byteLength(id)} bytes`)
  return id
}

export function readStoreDetails(record: WireRecord): StoreDetails {
  return {
    legalName: text(record, 'Legalname'),
    organizationNumber: text(record, 'Orgnum'),
    address: text(record, 'Address'),
    postalCode: text(record, 'PostalCode'),
    city: text(record, 'City'),
    country: text(record, 'Country'),
    email: text(record, 'Email'),
    web: text(record, 'Web'),
    phone: text(record, 'Phone'),
  }
}

function readZone(record: WireRecord): string | null {
  try {
    return zoneOf({
      TimeZoneInfo: text(record, 'TimeZoneInfo'),
      TimeZone: text(record, 'TimeZone'),
      CountryCode: text(record, 'CountryCode'),
    })
  } catch (error) {
    // A store in an unknown zone is still a store.
    if (error instanceof PermanentError) return null
    throw error
  }
}
