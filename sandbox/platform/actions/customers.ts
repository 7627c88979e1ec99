import { customerPayload } from '../api/customers-api.ts'
import type { CustomerBook } from '../people/book.ts'
import type { Emit } from '../sales/emit.ts'
import type { Pos } from '../sales/pos.ts'
import { storeOf } from '../stores.ts'
import type { CustomerActions } from './all.ts'

/** Customers who are added or changed at a POS. */
export function createCustomerActions(pos: Pos, book: CustomerBook, emit: Emit): CustomerActions {
  let added = 0
  return {
    createCustomer({ store: number, firstName = 'Solveig', lastName, email, phone } = {}) {
      const store = number === undefined ? pos.anyStore() : storeOf(number)
      added += 1
      const { customer } = book.add({
        firstName,
        lastName: lastName ?? `Ny ${added}`,
        email: email ?? `customer-${added}@example.com`,
        phone: phone ?? String(48_000_000 + added),
        phoneCountryPrefix: store.CountryCode === 'NO' ? '47' : '46',
        countryCode: store.CountryCode,
        city: store.City,
        postalCode: store.PostalCode,
        registeredStoreId: store.StoreId,
        agreedSendEmail: true,
      })
      emit('CustomerCreated', customerPayload(customer), store)
      return { customerId: customer.customerid, store: store.StoreNo }
    },

    updateCustomer({ customerId = 4711, store: number, ...changed } = {}) {
      const store = number === undefined ? pos.anyStore() : storeOf(number)
      const body = Object.keys(changed).length > 0 ? changed : { address: 'Ny vei 1' }
      const { customer } = book.put({ ...body, customerid: customerId })
      emit('CustomerUpdated', customerPayload(customer), store)
      return { customerId: customer.customerid, store: store.StoreNo }
    },
  }
}
