import type { CustomerConsent, CustomerRecord } from '../../domain/customers/customer-record.ts'
import { field, flag, idText, text, texts } from '../../domain/values/field.ts'
import { phoneOf } from '../../domain/values/phone.ts'

/** Facts §4. Null: no id, or nothing else. */
export function readCustomer(payload: unknown): CustomerRecord | null {
  const customerId = idText(payload, 'customerId')
  if (customerId === null) return null
  const { customerId: _, ...rest } = readRecord(payload, {
    extId: idText(payload, 'customerExtId'),
    address: text(payload, 'address1'),
  })
  return Object.values(rest).some((value) => value !== null) ? { customerId, ...rest } : null
}

export function readDeleted(payload: unknown): (Pick<CustomerRecord, 'extId'> & { customerId: string }) | null {
  const customerId = idText(payload, 'customerId')
  if (customerId === null || flag(payload, 'deleted') !== true) return null
  return { customerId, extId: idText(payload, 'customerExtId') }
}

export function readConsent(payload: unknown): CustomerConsent | null {
  const customerId = idText(payload, 'customerId')
  const [agreedSendEmail, agreedSendSms] = [flag(payload, 'agreedSendEmail'), flag(payload, 'agreedSendSMS')]
  if (customerId === null || (agreedSendEmail === null && agreedSendSms === null)) return null
  const { email, phone } = readRecord(payload, {})
  return {
    customerId,
    extId: idText(payload, 'customerExtId'),
    email,
    phone,
    agreedSendEmail,
    agreedSendSms,
    agreedAt: text(payload, 'gdprUpdatedDateTime'),
  }
}

export function readChangedAt(kind: string, payload: unknown): string | null {
  const updatedAt = text(payload, 'updatedDateTime')
  return updatedAt ?? (kind === 'CustomerCreated' ? text(payload, 'createdDateTime') : null)
}

/** Spec, "Sale payload"; null: none attached. */
export function readSaleCustomer(sale: unknown): CustomerRecord | null {
  const customer = field(sale, 'customer')
  const address = field(customer, 'address')
  const record = readRecord(customer, {
    extId: idText(customer, 'customerExtId'),
    address: text(address, 'address1'),
    postalCode: text(address, 'postalCode'),
    city: text(address, 'city'),
    countryCode: text(address, 'countryCode')?.toUpperCase() ?? null,
  })
  return record.email === null && record.phone === null ? null : record
}

/** What `given` lacks is read of `value`. The keys keep their order: an unchanged customer is known by the digest of its JSON. */
function readRecord(value: unknown, given: Partial<CustomerRecord>): CustomerRecord {
  const record = {
    customerId: idText(value, 'customerId'),
    extId: null,
    email: text(value, 'email')?.toLowerCase() ?? null,
    ...texts(value, 'firstName', 'lastName', 'companyName', 'phone'),
    address: null,
    ...texts(value, 'postalCode', 'city'),
    countryCode: text(value, 'countryCode')?.toUpperCase() ?? null,
    ...given,
  }
  const phone = phoneOf(text(value, 'phoneCountryPrefix'), record.phone, record.countryCode)
  return { ...record, phone }
}

export function recipientIn(payload: unknown): string | null {
  return text(payload, 'recipient')
}

export function customerIn(payload: unknown, by: 'email' | 'texts'): string | null {
  const customer = field(payload, 'customer')
  if (by === 'email') return text(customer, 'email')
  return phoneOf(text(customer, 'phoneCountryPrefix'), text(customer, 'phone'))
}
