import { field, flag, text } from '../../../domain/values/field.ts'
import { idText } from '../../../domain/values/id.ts'
import { requiredId, type WireRecord } from '../../http/read.ts'

/** A customer as the platform has one; the spec does not show the record. What it did not write, or left empty, is null. */
export interface PlatformCustomer {
  customerId: string
  /** The id that the retailer's own systems know the customer by. */
  extId: string | null
  /** A GUID. */
  guid: string | null
  firstName: string | null
  lastName: string | null
  companyName: string | null
  orgNum: string | null
  isCompany: boolean | null
  email: string | null
  phone: string | null
  phoneCountryPrefix: string | null
  /** Street and number. */
  address: string | null
  postalCode: string | null
  city: string | null
  countryCode: string | null
  agreedSendEmail: boolean | null
  agreedSendSms: boolean | null
  /** Commas between them. */
  tags: string | null
  registeredStoreId: string | null
  deleted: boolean | null
  /** Times as written: their zone is not shown. */
  created: string | null
  updated: string | null
  /** The customer as the platform wrote it, fields that the hub does not know included: personal data. */
  record: WireRecord
}

/** Reads both forms, that of the API and that of webhooks (`customerExtId`, `address1`). Throws where there is no id. */
export function readCustomer(record: WireRecord): PlatformCustomer {
  return {
    customerId: requiredId(record, 'customerId'),
    extId: idText(record, 'extId') ?? idText(record, 'customerExtId'),
    guid: idText(record, 'customerGuid') ?? idText(record, 'id'),
    firstName: text(record, 'firstName'),
    lastName: text(record, 'lastName'),
    companyName: text(record, 'companyName'),
    orgNum: text(record, 'orgNum') ?? text(record, 'taxId'),
    isCompany: flag(record, 'isCompany'),
    email: text(record, 'email'),
    phone: text(record, 'phone'),
    phoneCountryPrefix: text(record, 'phoneCountryPrefix'),
    address: text(record, 'address') ?? text(field(record, 'address'), 'address1') ?? text(record, 'address1'),
    postalCode: text(record, 'postalCode'),
    city: text(record, 'city'),
    countryCode: text(record, 'countryCode')?.toUpperCase() ?? null,
    agreedSendEmail: flag(record, 'agreedSendEmail'),
    agreedSendSms: flag(record, 'agreedSendSms'),
    tags: text(record, 'tags'),
    registeredStoreId: idText(record, 'registeredStoreId'),
    deleted: flag(record, 'deleted'),
    created: text(record, 'ins') ?? text(record, 'createdDateTime'),
    updated: text(record, 'upt') ?? text(record, 'updatedDateTime'),
    record,
  }
}
