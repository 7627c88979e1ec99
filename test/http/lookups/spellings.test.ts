import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDirectoryPort } from '../../../src/adapters/directory/directory.ts'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import { DIRECTORY } from '../../../src/domain/queue/event.ts'
import { phoneOf } from '../../../src/domain/values/phone.ts'
import { openTestStore } from '../../empty-store.ts'
import { createFolder } from '../../hub.ts'
import { type LookupApp, person, startLookups } from './app.ts'

/** One customer in each country, and how people type the number there. */
const TABLE: Record<string, { phone: string; typed: string }> = {
  NO: {
    phone: '912 34 567',
    typed: '91234567 | 912 34 567 | 91 23 45 67 | +47 912 34 567 | 0047 91234567 | 4791234567 | (+47) 912-34-567',
  },
  SE: {
    phone: '070-123 45 67',
    typed:
      '0701234567 | 070-123 45 67 | 070 1234567 | 701234567 | +46701234567 | +46 (0)70 123 45 67 | 0046 70 1234567',
  },
  DK: {
    phone: '20 12 34 56',
    typed: '20123456 | 20 12 34 56 | 2012 3456 | +4520123456 | +45 20.12.34.56 | 0045 20123456 | tlf. 20 12 34 56',
  },
  FI: {
    phone: '040 1234567',
    typed: '0401234567 | 040 123 4567 | 040-1234567 | +358401234567 | +358 (0)40 123 4567 | 00358 40 1234567',
  },
  DE: {
    phone: '0151 23456789',
    typed:
      '015123456789 | 0151/23456789 | 0151 - 234 567 89 | +49 151 23456789 | +49 (0) 151 23456789 | 0049 151 23456789 | (0151) 23456789',
  },
  GB: {
    phone: '07911 123456',
    typed:
      '07911123456 | 07911 123456 | (07911) 123 456 | +44 7911 123456 | +44 (0)7911 123456 | 0044 7911 123456 | 44 7911 123456',
  },
}

const people = Object.entries(TABLE).map(([countryCode, { phone }]) =>
  person({ extId: countryCode, phone: phoneOf(null, phone, countryCode), countryCode }),
)
const spellings = Object.entries(TABLE).flatMap(([country, { typed }]) =>
  typed.split(' | ').map((one) => [one, country] as const),
)

describe('however a number is typed, the one customer who has it is found', () => {
  let directory: Awaited<ReturnType<typeof startDirectory>>
  beforeAll(async () => {
    directory = await startDirectory(people)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  test('the table has 40 spellings or more', () => expect(spellings.length).toBeGreaterThanOrEqual(40))

  test.each(spellings)('%s is the customer of %s', async (typed, country) => {
    const { status, body } = await directory.app.customers(typed)
    expect({ status, found: body.map((one: { customerExtId: string }) => one.customerExtId) }).toEqual({
      status: 200,
      found: [country],
    })
  })

  test('+47… is found also where the plus was not escaped', async () => {
    const { body } = await directory.app.get('/api/customers/search?query=+4791234567')
    expect(body).toMatchObject([{ customerExtId: 'NO' }])
  })
})

test('when a number was kept without its country, then it is found as it was written, and with a country', async () => {
  await using directory = await startDirectory([person({ extId: 'C-1', phone: '0701234567' })])
  for (const typed of ['070-123 45 67', '+46 70 123 45 67', '701234567'])
    expect((await directory.app.customers(typed)).body).toMatchObject([{ customerExtId: 'C-1' }])
  expect((await directory.app.customers('070-123 45 68')).body).toEqual([])
})

/** The POS's question, answered by the real directory in a store of its own, with these customers in it. */
async function startDirectory(customers: CustomerRecord[], config: object = {}) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const storage = opened.use(await openTestStore(`${folder.path}/tillbridge.db`))
  await storage.saveCustomers(customers, Date.now())
  const port = createDirectoryPort(storage)
  const app: LookupApp = opened.use(
    await startLookups({ customers: [{ name: DIRECTORY, search: port.search }], config: { customers: config } }),
  )
  const all = opened.move()
  return { app, port, storage, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
