import type { MailAddress } from './server/address.ts'
import type { Stationery } from './stationery.ts'

/** The sender's name, where the store is not known. */
export function shopNameOf({ from }: Stationery): string {
  return from.name || domainOf(from)
}

export function domainOf({ address }: MailAddress): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
