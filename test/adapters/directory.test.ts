import { expect, test } from 'vitest'
import { createDirectoryPort } from '../../src/adapters/directory/directory.ts'
import { readCustomerQuery } from '../../src/domain/customers/customer-query.ts'
import type { CustomerRecord } from '../../src/domain/customers/customer-record.ts'
import { openTestStore } from '../empty-store.ts'
import { person } from '../http/lookups/app.ts'
import { createFolder } from '../hub.ts'

test('when somebody buys, then what is known stays, and what was not known is filled up', async () => {
  await using directory = await open()
  await directory.upsert(person({ customerId: '7', email: 'kari@example.com', city: 'Bergen', address: 'Torget 1' }))
  await directory.remember(
    person({ email: 'kari@example.com', firstName: 'Kari', phone: '+4791234567', city: 'Oslo' }),
    person({ phone: '+4640000000', firstName: 'Per' }),
  )
  expect(await directory.find('912 34 567')).toMatchObject([
    { customerId: '7', firstName: 'Kari', city: 'Bergen', address: 'Torget 1', email: 'kari@example.com' },
  ])
  expect(await directory.find('+46 40 00 00 00')).toMatchObject([{ firstName: 'Per', customerId: null }])
})

test('when mother and son buy with one phone, then they stay two', async () => {
  await using directory = await open()
  await directory.upsert(person({ customerId: '7', email: 'mother@example.com', phone: '+4791234567' }))
  await directory.remember(person({ customerId: '8', email: 'son@example.com', phone: '+4791234567', city: 'Oslo' }))
  expect(await directory.find('91234567')).toMatchObject([{ customerId: '8' }, { customerId: '7', city: null }])
})

test('when people of other names share a phone and nothing else, then nobody gets the address of the other', async () => {
  await using directory = await open()
  await directory.upsert(person({ email: 'eva@example.com', firstName: 'Eva', phone: '+4791234567' }))
  await directory.upsert(person({ customerId: '9', firstName: 'Ola', phone: '+4791234567' }))
  await directory.remember(person({ firstName: 'Per', phone: '+4791234567', city: 'Oslo' }))
  await directory.remember(person({ firstName: 'Eva Marie', phone: '+4791234567', city: 'Bergen' }))
  const found = await directory.find('91234567')
  expect(found.toSorted((a, b) => (a.firstName ?? '').localeCompare(b.firstName ?? ''))).toMatchObject([
    { firstName: 'Eva', email: 'eva@example.com', city: 'Bergen' },
    { firstName: 'Ola', customerId: '9', email: null, city: null },
    { firstName: 'Per', email: null, city: 'Oslo' },
  ])
})

test('when somebody is imported, then what is given replaces what was known, and the rest stays', async () => {
  await using directory = await open()
  await directory.remember(person({ customerId: '7', email: 'kari@example.com', firstName: 'Kari', city: 'Oslo' }))
  await directory.take(person({ extId: 'C-1', email: 'kari@example.com', city: 'Bergen' }))
  expect(await directory.find('kari@example.com')).toEqual([
    person({ customerId: '7', extId: 'C-1', email: 'kari@example.com', firstName: 'Kari', city: 'Bergen' }),
  ])
})

async function open() {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const storage = opened.use(await openTestStore(`${folder.path}/tillbridge.db`))
  const port = createDirectoryPort(storage)
  const attempt = {
    key: 'k',
    previous: 'none' as const,
    firstTriedAt: null,
    signal: AbortSignal.timeout(10_000),
    links: async () => [],
  }
  const batch = (customers: CustomerRecord[]) => customers.map((argument) => ({ argument, attempt }))
  const all = opened.move()
  return {
    upsert: (customer: CustomerRecord) => port.upsert(customer, attempt),
    remember: (...customers: CustomerRecord[]) => port.remember(batch(customers)),
    take: (...customers: CustomerRecord[]) => port.take(batch(customers)),
    async find(typed: string) {
      const query = readCustomerQuery(typed, ['NO', 'SE'])
      if (query === null) throw new Error(`${typed} is neither`)
      return await port.search(query, attempt)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
