import type { CustomerRecord } from '../../../domain/people/customer-record.ts'
import { type ShopCustomer, saidOf } from '../intake/customer.ts'
import { withoutNulls } from '../without-nulls.ts'
import { isEmail } from './addresses.ts'
import { META } from './shop-order.ts'

/**
 * For `POST` and `PUT` of customers. What is not known is left out, and stays in the shop as it is. So does the e-mail address of
 * the account (`known`) where it differs by capitals only: WooCommerce takes that for somebody else's. Meta data keep whose
 * account it is, and what it says then: so the shop's own webhook about it is told from a change that somebody makes there.
 */
export function customerBody(customer: CustomerRecord, known: ShopCustomer | null = null): object {
  const { customerId, firstName, lastName, companyName, phone, address, postalCode, city, countryCode } = customer
  const email = customer.email !== null && isEmail(customer.email) ? customer.email : null
  const body = withoutNulls({
    email: email?.toLowerCase() === known?.email?.toLowerCase() ? null : email,
    first_name: firstName,
    last_name: lastName,
    billing: {
      first_name: firstName,
      last_name: lastName,
      company: companyName,
      address_1: address,
      postcode: postalCode,
      city,
      country: countryCode,
      phone,
      email,
    },
  })
  const said = saidOf({ ...known, ...body, billing: { ...known?.billing, ...body.billing } })
  const whose = customerId === null ? [] : [{ key: META.customer, value: customerId }]
  return { ...body, meta_data: [...whose, { key: META.said, value: said }] }
}
