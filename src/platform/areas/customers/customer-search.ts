import { given, unsendable } from '../../http/written.ts'
import type { PlatformCustomer } from './customer-record.ts'

/** The customer that a search is for: only those are found that fit everything given. */
export interface WantedCustomer {
  email?: string | undefined
  /** The number as people write it: blanks, signs, `+47` or `0047` before it make no difference. */
  phone?: string | undefined
  extIds?: readonly string[] | undefined
}

/** A number of this length is found however its prefix was written; few other people have the same end. */
const END_OF_NUMBER = 7

/** A search for nobody in particular would find everybody. */
export function isNobody({ email = '', phone = '', extIds = [] }: WantedCustomer): boolean {
  return email.trim() === '' && phone.trim() === '' && extIds.length === 0
}

/**
 * The filter as it is sent: `emailContains`, not `email`, which is ignored. Of a phone number only its end: whether the prefix
 * stands within the number or beside it is not known, and who has the same end is left out afterwards.
 */
export function searchedFor({ email, phone, extIds }: WantedCustomer) {
  return given({
    emailContains: email?.trim() || undefined,
    phoneContains: phone?.trim() ? endOf(phone) : undefined,
    customerExtIds: extIds && extIds.length > 0 ? extIds.map((id) => id.trim()) : undefined,
  })
}

/** Whether this is one of those: a part of an address, or the end of a number, is somebody else's too. */
export function isWanted(customer: PlatformCustomer, { email, phone, extIds }: WantedCustomer): boolean {
  return (
    (!email?.trim() || customer.email?.toLowerCase() === email.trim().toLowerCase()) &&
    (!phone?.trim() || hasNumber(customer, phone)) &&
    (!extIds || extIds.length === 0 || extIds.some((id) => id.trim() === customer.extId))
  )
}

function endOf(phone: string): string {
  const digits = digitsOf(phone)
  if (digits === '') throw unsendable('customers.search: the phone', 'has no digits.')
  return digits.slice(-END_OF_NUMBER)
}

/** The number with the country's prefix or without it, on either side, wherever the platform keeps it. */
function hasNumber({ phone, phoneCountryPrefix }: PlatformCustomer, wanted: string): boolean {
  const asked = digitsOf(wanted)
  const own = digitsOf(phone ?? '')
  const prefix = digitsOf(phoneCountryPrefix ?? '')
  if (asked === '' || own === '') return false
  const isInternational = /^\s*(\+|00)/.test(phone ?? '') && prefix !== '' && own.startsWith(prefix)
  const national = isInternational ? digitsOf(own.slice(prefix.length)) : own
  return [own, national, prefix + national].includes(asked)
}

/** Digits alone, without zeros before them: 00 stands for +, and a single one is dialled within a country only. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/g, '').replace(/^0+/, '')
}
