import { z } from 'zod'
import { phoneOf } from '../../../domain/people/phone.ts'

/** A line of text of the shop; null: nothing is in it. */
export const line = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null)

export const ShopAddress = z
  .object({
    first_name: line,
    last_name: line,
    company: line,
    address_1: line,
    address_2: line,
    city: line,
    state: line,
    postcode: line,
    country: line,
    email: line,
    phone: line,
  })
  .partial()

export type ShopAddress = z.output<typeof ShopAddress>

/** In E.164 where it can be read so, by the country of the address. */
export function phoneIn({ phone, country }: ShopAddress): string | null {
  return phoneOf(null, phone ?? null, country?.toUpperCase() ?? null)
}

/** The street in one line, of the two that it may have. */
export function streetOf({ address_1, address_2 }: ShopAddress): string | null {
  return [address_1, address_2].filter(Boolean).join(', ') || null
}
