import { expect } from 'vitest'
import type { CustomerQuery } from '../../../src/domain/customers/customer-query.ts'
import { type CustomerRecord, UNKNOWN_CUSTOMER } from '../../../src/domain/customers/customer-record.ts'
import type { StoreTest, StoreUnderTest } from '../under-test.ts'

/** The hub's own customer directory: one row a person. */
export function customers(test: StoreTest): void {
  test('When customers are kept, then they are found by e-mail or phone, whole, the newest first', async (the) => {
    const anna = person({ customerId: '1', email: 'anna@example.com', phone: '+4791234567', firstName: 'Anna' })
    const bo = person({ customerId: '2', extId: 'B', phone: '+4791234567', city: 'Oslo' })
    await save(the, anna)
    await the.clock.pass(1)
    await save(the, bo)
    expect(await the.storage.findCustomers(email('anna@example.com'))).toEqual([anna])
    expect(await the.storage.findCustomers(phone(['+4600000', '+4791234567'], '91234567'))).toEqual([bo, anna])
    expect(await the.storage.findCustomers(email('bo@example.com'))).toEqual([])
    expect(await the.storage.customerCount()).toBe(2)
    const storage = await the.reopen()
    expect(await storage.findCustomers(email('anna@example.com'))).toEqual([anna])
  })

  test('When a number was kept without its country, then it is found as it is typed', async (the) => {
    await save(the, person({ phone: '91234567', firstName: 'Anna' }))
    expect(await the.storage.findCustomers(phone(['+4791234567'], '91234567'))).toHaveLength(1)
    expect(await the.storage.findCustomers(phone(['+4791234568'], '91234568'))).toEqual([])
  })

  test('When a person comes again, then what is new is kept, and what is not said is not erased', async (the) => {
    await save(the, person({ customerId: '1', email: 'anna@example.com', phone: '+4791234567', city: 'Oslo' }))
    await save(the, person({ customerId: '1', email: 'anna@example.net', firstName: 'Anna' }))
    const now = { email: 'anna@example.net', phone: '+4791234567', city: 'Oslo', firstName: 'Anna' }
    expect(await the.storage.findCustomers(email('anna@example.net'))).toEqual([person({ customerId: '1', ...now })])
    expect(await the.storage.findCustomers(email('anna@example.com'))).toEqual([])
    expect(await the.storage.customerCount()).toBe(1)
  })

  test('When a person is told by any one of its keys, then it is the same row', async (the) => {
    await save(the, person({ phone: '+4791234567' }))
    await save(the, person({ phone: '+4791234567', email: 'anna@example.com' }))
    await save(the, person({ email: 'anna@example.com', extId: 'A' }))
    await save(the, person({ extId: 'A', customerId: '1', phone: '+4799999999' }))
    expect(await all(the)).toEqual([
      person({ customerId: '1', extId: 'A', email: 'anna@example.com', phone: '+4799999999' }),
    ])
  })

  test('When two ids share an address or a number, then they stay two persons', async (the) => {
    await save(the, person({ customerId: '1', email: 'x@example.com' }), person({ extId: 'A', phone: '+4791234567' }))
    await save(the, person({ customerId: '2', email: 'x@example.com' }), person({ extId: 'B', phone: '+4791234567' }))
    expect(await the.storage.customerCount()).toBe(4)
  })

  test('When two rows turn out to be one person, then one is left, with what both knew', async (the) => {
    await save(the, person({ customerId: '1', phone: '+4791234567', city: 'Oslo' }))
    await save(the, person({ email: 'anna@example.com', firstName: 'Anna', city: 'Bergen' }))
    expect(await the.storage.customerCount()).toBe(2)
    await save(the, person({ customerId: '1', email: 'anna@example.com' }))
    expect(await all(the)).toEqual([
      person({ customerId: '1', email: 'anna@example.com', phone: '+4791234567', firstName: 'Anna', city: 'Oslo' }),
    ])
  })

  test('When a customer is dropped by the id, then that row alone is gone, and comes back as somebody new', async (the) => {
    const anna = person({ customerId: '1', email: 'x@example.com', firstName: 'Anna' })
    const bo = person({ customerId: '2', email: 'x@example.com', firstName: 'Bo' })
    await save(the, anna, bo)
    await the.storage.dropCustomer('1')
    await the.storage.dropCustomer('1')
    await the.storage.dropCustomer('x@example.com')
    expect(await the.storage.findCustomers(email('x@example.com'))).toEqual([bo])
    expect(await the.storage.customerCount()).toBe(1)
    const storage = await the.reopen()
    expect(await storage.findCustomers(email('x@example.com'))).toEqual([bo])
    await save(the, person({ customerId: '1', email: 'x@example.com' }))
    expect(await the.storage.findCustomers(email('x@example.com'))).toHaveLength(2)
    expect(await the.storage.customerCount()).toBe(2)
  })

  test('When a customer was dropped, then a sale does not bring them back before they are saved again', async (the) => {
    const anna = person({ customerId: '1', email: 'x@example.com', firstName: 'Anna' })
    const names = async () =>
      (await the.storage.findCustomers(email('x@example.com'))).map(({ firstName }) => firstName)
    await the.storage.rememberCustomers([anna], the.clock.now())
    expect(await names()).toEqual(['Anna'])
    await the.storage.dropCustomer('1')
    await the.reopen()
    const guest = person({ email: 'x@example.com', firstName: 'Guest' })
    await the.storage.rememberCustomers([anna, guest], the.clock.now())
    expect(await names()).toEqual(['Guest'])
    await save(the, person({ customerId: '1', extId: 'A', phone: '+4791234567' }))
    await the.storage.rememberCustomers([{ ...anna, extId: 'A' }], the.clock.now())
    expect(await names()).toContain('Anna')
  })

  test('When customers are read page by page, then they come as they first came, each once, whole', async (the) => {
    const people = ['1', '2', '3', '4', '5'].map((customerId) =>
      person({ customerId, email: `${customerId}@example.com` }),
    )
    for (const one of people) await save(the, one)
    await the.clock.pass(1)
    await save(the, person({ customerId: '2', city: 'Oslo' }))
    const updatedAt = the.clock.now()
    const whole = people.map((one) => (one.customerId === '2' ? { ...one, city: 'Oslo' } : one))
    const all = await the.storage.customersPage(0, 100)
    expect(all).toEqual(whole.map((one) => ({ ...one, id: expect.any(Number), updatedAt: expect.any(Number) })))
    expect(all.map((one) => one.updatedAt === updatedAt)).toEqual([false, true, false, false, false])
    const pages = [await the.storage.customersPage(0, 2), await the.storage.customersPage(all[1]?.id ?? 0, 2)]
    expect(pages.flat()).toEqual(all.slice(0, 4))
    expect(await the.storage.customersPage(all[4]?.id ?? 0, 2)).toEqual([])
  })
}

function person(given: Partial<CustomerRecord>): CustomerRecord {
  return { ...UNKNOWN_CUSTOMER, ...given }
}

async function save({ storage, clock }: StoreUnderTest, ...people: CustomerRecord[]) {
  await storage.saveCustomers(people, clock.now())
}

/** All rows of a story that has one at most of each address. */
async function all({ storage }: StoreUnderTest): Promise<CustomerRecord[]> {
  const found = await storage.findCustomers(email('anna@example.com'))
  expect(await storage.customerCount()).toBe(found.length)
  return found
}

function email(address: string): CustomerQuery {
  return { type: 'email', email: address }
}

function phone(numbers: string[], typed: string): CustomerQuery {
  return { type: 'phone', numbers, typed }
}
