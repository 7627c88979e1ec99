import type { z } from 'zod'
import { phoneOf } from '../../../domain/people/phone.ts'
import { part, text } from '../document.ts'

export const ShopAddress = part({
  first_name: text,
  last_name: text,
  company: text,
  address_1: text,
  address_2: text,
  city: text,
  state: text,
  postcode: text,
  country: text,
  email: text,
  phone: text,
})

export type ShopAddress = z.output<typeof ShopAddress>

/** An address as far as it is known. */
export type KnownAddress = { [Field in keyof ShopAddress]?: string | null | undefined }

/** In E.164 where it can be read so, by the country of the address. */
export function phoneIn({ phone, country }: KnownAddress): string | null {
  return phoneOf(null, phone ?? null, country?.toUpperCase() ?? null)
}

/** The street in one line, of the two that it may have. */
export function streetOf({ address_1, address_2 }: KnownAddress): string | null {
  return [address_1, address_2].filter(Boolean).join(', ') || null
}
