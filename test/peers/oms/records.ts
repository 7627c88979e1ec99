/* What the OMS keeps. It is home-made: its words and shapes are its own, and it does not deduplicate. */

export interface OmsLine {
  id: number
  gtin: string
  name: string
  qty: number
  price: string
}

export interface OmsOrder {
  id: number
  /** What the customer knows it by. Two orders may have the same. */
  number: string
  /** The sender's own name of it; null where it was placed here. */
  reference: string | null
  status: 'new' | 'ready' | 'collected' | 'expired'
  placedAt: string
  changedAt: string
  currency: string
  total: string
  payment: string | null
  buyer: OmsBuyer | null
  /** Where it is fetched, by the OMS's own name of the store; null: it is sent. */
  pickupAt: string | null
  lines: OmsLine[]
  declines: { line: number; qty: number; reference: string }[]
  parcels: { id: number; name: string; items: { gtin: string; qty: number }[] }[]
  refunds: { id: number; line: number; qty: number; pay: boolean; reference: string }[]
}

interface OmsBuyer {
  name: string
  email: string | null
  phone: string | null
}

export interface OmsCustomer extends OmsBuyer {
  id: number
  posId: string
  city: string | null
}

export interface OmsState {
  orders: OmsOrder[]
  customers: OmsCustomer[]
  /** By location and GTIN: `oslo/7090012340011`. */
  levels: Map<string, number>
  isDown: boolean
  /** How many requests that change something lose their answer from now on, though they are executed. */
  lost: number
  now(): Date
}
