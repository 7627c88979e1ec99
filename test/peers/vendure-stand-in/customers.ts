import { argumentOf, type Input, textOf, textOrNull } from './argument.ts'
import type { Books } from './books.ts'
import { countryOf } from './countries.ts'
import { notFound, type Refused, refused } from './fault.ts'
import type { Address, Customer, CustomerNote } from './records.ts'

export function createCustomers(books: Books) {
  function customer(id: string): Customer {
    const found = books.customers.find((one) => one.id === id)
    if (!found) throw notFound('Customer', id)
    return found
  }

  function isTaken(emailAddress: string, by: string | null): boolean {
    return books.customers.some((one) => one.emailAddress === emailAddress && one.id !== by)
  }

  return {
    createCustomer(given: Input): Customer | Refused {
      const input = argumentOf(given, 'input')
      const taken = isTaken(textOf(input, 'emailAddress').toLowerCase(), null)
      return taken ? refused('EmailAddressConflictError') : customerFrom(books, input)
    },
    updateCustomer(given: Input): Customer | Refused {
      const { id, ...changes } = argumentOf(given, 'input')
      const found = customer(String(id))
      if (isTaken(textOf(changes, 'emailAddress').toLowerCase(), found.id)) return refused('EmailAddressConflictError')
      return Object.assign(found, changes)
    },
    createCustomerAddress(given: Input): Address {
      const { addresses } = customer(textOf(given, 'customerId'))
      const input = argumentOf(given, 'input')
      const code = textOf(input, 'countryCode')
      countryOf(code)
      const address: Address = {
        id: books.nextId(),
        fullName: textOrNull(input, 'fullName'),
        company: textOrNull(input, 'company'),
        streetLine1: textOf(input, 'streetLine1'),
        city: textOrNull(input, 'city'),
        postalCode: textOrNull(input, 'postalCode'),
        country: { code },
        phoneNumber: textOrNull(input, 'phoneNumber'),
        defaultBillingAddress: input.defaultBillingAddress === true,
      }
      addresses.push(address)
      return address
    },
    updateCustomerAddress(given: Input): Address {
      const { id, countryCode, ...changes } = argumentOf(given, 'input')
      const found = books.customers.flatMap(({ addresses }) => addresses).find((one) => one.id === id)
      if (!found) throw notFound('Address', String(id))
      if (typeof countryCode === 'string') {
        countryOf(countryCode)
        found.country = { code: countryCode }
      }
      return Object.assign(found, changes)
    },
    deleteCustomerAddress(given: Input): { success: boolean } {
      const id = textOf(given, 'id')
      const owner = books.customers.find(({ addresses }) => addresses.some((one) => one.id === id))
      if (!owner) throw notFound('Address', id)
      owner.addresses.splice(0, owner.addresses.length, ...owner.addresses.filter((one) => one.id !== id))
      return { success: true }
    },
    addNoteToCustomer(given: Input): Customer {
      const { id, note, isPublic } = argumentOf(given, 'input')
      const found = customer(String(id))
      const entry = { id: books.nextId(), type: 'CUSTOMER_NOTE', isPublic: isPublic === true } as const
      found.notes.push({ ...entry, data: { note: String(note) } })
      return found
    },
    updateCustomerNote(given: Input): CustomerNote {
      const { noteId, note } = argumentOf(given, 'input')
      const found = books.customers.flatMap(({ notes }) => notes).find(({ id }) => id === noteId)
      if (!found) throw notFound('HistoryEntry', String(noteId))
      found.data.note = String(note)
      return found
    },
    deleteCustomerNote(given: Input): { result: string } {
      for (const one of books.customers) one.notes = one.notes.filter(({ id }) => id !== given.id)
      return { result: 'DELETED' }
    },
    // The row stays, and is not shown any more.
    deleteCustomer(given: Input): { result: string } {
      const found = customer(textOf(given, 'id'))
      books.customers.splice(books.customers.indexOf(found), 1)
      books.deletedCustomers.push(found)
      return { result: 'DELETED' }
    },
  }
}

/** A guest: known by the e-mail address, with the newest name. */
export function customerFrom(books: Books, input: Input): Customer {
  const emailAddress = textOf(input, 'emailAddress').toLowerCase()
  const { firstName, lastName } = { firstName: textOf(input, 'firstName'), lastName: textOf(input, 'lastName') }
  const known = books.customers.find((one) => one.emailAddress === emailAddress)
  if (known) return Object.assign(known, { firstName, lastName })
  const phoneNumber = textOrNull(input, 'phoneNumber')
  const customer = { id: books.nextId(), firstName, lastName, emailAddress, phoneNumber, addresses: [], notes: [] }
  books.customers.push(customer)
  return customer
}
