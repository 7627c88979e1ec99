/** A store of the platform, as the hub remembers it. Ids are text: the platform's integers, the retailer's own numbers. */
export interface StoreRecord {
  storeId: string
  /** The retailer's own number. Null: the platform has none. */
  number: string | null
  name: string | null
  /** Where its goods are; several stores may share a stock. */
  stockId: string | null
  /** ISO 3166, in capitals: `NO`. */
  countryCode: string | null
  /** ISO 4217, in capitals. */
  currency: string | null
  /** IANA id. Null: the platform names a zone that nobody knows. */
  zone: string | null
}

/** Details that the platform has of a store (spec, "Store"): for own systems that ask; the hub needs none of them. */
export interface StoreDetails {
  legalName: string | null
  organizationNumber: string | null
  address: string | null
  postalCode: string | null
  city: string | null
  country: string | null
  email: string | null
  web: string | null
  phone: string | null
}
