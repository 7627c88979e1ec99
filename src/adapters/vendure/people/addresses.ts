import type { Address, Customer } from '../../../domain/books/sale.ts'
import type { TillOrder } from '../../../domain/orders/order.ts'

/** For `CreateAddressInput`. */
export interface AddressInput {
  fullName?: string
  company?: string
  streetLine1: string
  city?: string
  postalCode?: string
  countryCode: string
  phoneNumber?: string
}

/** Where it goes; the name is the customer's where the address has none. Null: there is no address, or no country. */
export function shippingOf({ shippingAddress, customer, store }: TillOrder): AddressInput | null {
  return shippingAddress && addressInput(shippingAddress, customer, store.address?.countryCode ?? null)
}

/** The customer's own address. */
export function billingOf({ customer, store }: TillOrder): AddressInput | null {
  return customer?.address ? addressInput(customer.address, customer, store.address?.countryCode ?? null) : null
}

/** Vendure takes no address without a country; the till's is the likeliest. */
function addressInput(address: Address, customer: Customer | null, home: string | null): AddressInput | null {
  const countryCode = address.countryCode ?? customer?.address?.countryCode ?? home
  if (countryCode === null) return null
  const named = address.firstName !== null || address.lastName !== null ? address : customer
  return {
    ...given({
      fullName: [named?.firstName, named?.lastName].filter(Boolean).join(' ') || null,
      company: customer?.companyName ?? null,
      city: address.city,
      postalCode: address.postalCode,
      phoneNumber: customer?.phone ?? null,
    }),
    streetLine1: address.address1 ?? '',
    countryCode,
  }
}

/** Without what is null: Vendure takes null for "make it empty". */
export function given<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
}
