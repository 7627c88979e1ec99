/** A store as a payload names it. Everything is null where the payload says nothing. */
export interface StoreRef {
  /** The retailer's own number. */
  number: string | null
  storeId: string | null
  stockId: string | null
  /** The retailer's own id of the stock; often, but not for certain, the number of its store. */
  stockNumber: string | null
  /** The store's country, not a customer's. */
  countryCode: string | null
}
