/** Ids are text. */
export interface StoreRecord {
  storeId: string
  /** Null: none. */
  number: string | null
  name: string | null
  /** Stores may share it. */
  stockId: string | null
  /** ISO 3166, upper case. */
  countryCode: string | null
  /** ISO 4217. */
  currency: string | null
  /** IANA; null: unknown zone. */
  zone: string | null
}

/** Spec, "Store"; for own systems only. */
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
