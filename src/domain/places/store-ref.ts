/** What a payload says about the store it is about. Everything is null where it says nothing. */
export interface StoreRef {
  /** The retailer's own number. */
  number: string | null
  storeId: string | null
  stockId: string | null
  /** The retailer's own id of the stock; often, but not for certain, the number of its store. */
  stockNumber: string | null
  /** Of the store, not of a customer. */
  countryCode: string | null
}
