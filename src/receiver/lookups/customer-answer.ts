import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import { splitPhone } from '../../domain/people/phone.ts'

/** A customer as the platform itself writes one (facts §4, CustomerCreated). What the hub does not know is null. */
export function platformCustomer(customer: CustomerRecord) {
  const { prefix, number } = splitPhone(customer.phone)
  return {
    customerId: idOf(customer.customerId),
    customerExtId: customer.extId,
    email: customer.email,
    firstName: customer.firstName,
    lastName: customer.lastName,
    companyName: customer.companyName,
    taxId: null,
    gender: null,
    address1: customer.address,
    city: customer.city,
    province: null,
    postalCode: customer.postalCode,
    country: null,
    countryCode: customer.countryCode,
    phoneCountryPrefix: prefix,
    phone: number,
    description: null,
    agreedSendEmail: null,
    agreedSendSMS: null,
    isEmployee: null,
    birthday: null,
    cardNo: null,
    tags: null,
    gdprUpdatedDateTime: null,
    registeredStoreId: null,
    createdDateTime: null,
    updatedDateTime: null,
    deleted: null,
    customerGuid: null,
  }
}

/** The platform's ids are numbers. */
function idOf(customerId: string | null): number | string | null {
  return customerId !== null && /^[1-9]\d{0,14}$/.test(customerId) ? Number(customerId) : customerId
}
