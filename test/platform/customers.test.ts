import { describe, expect, test } from 'vitest'
import type { NewCustomer, PlatformCustomer } from '../../src/platform/resources/sales.ts'
import { API_KEY, failureOf, type Given, givenAnswer, givenPlatform } from './given.ts'

const LIV: NewCustomer = {
  extId: ' C-1 ',
  firstName: 'Liv',
  lastName: 'Dahl',
  email: 'liv@example.com',
  phone: '99887766',
  phoneCountryPrefix: '47',
  registeredStoreId: '42',
}
const ROW = { customerid: 9, extId: 'C-1', email: 'Liv@Example.com', phone: '998 87 766', phoneCountryPrefix: '+47' }

describe('obtaining a customer', () => {
  test('When one is obtained, then the external id always goes along, and only what was given', async () => {
    await using given = await givenAnswer({ body: 4711 })
    expect(await given.platform.customers.obtain(LIV)).toBe('4711')
    expect(given.server.asked).toMatchObject([{ line: 'PUT /api/Customer' }])
    expect(sentBy(given)).toEqual({ ...LIV, extId: 'C-1', registeredStoreId: 42 })
  })

  test.each([
    [' 4711 ', '4711'],
    [{ customerid: 4711, id: '0d7c…' }, '4711'],
    [{ CustomerId: '4711' }, '4711'],
    [{ id: 4711 }, '4711'],
  ])('When the answer is %j, then the id is found', async (body, id) => {
    await using given = await givenAnswer({ body })
    expect(await given.platform.customers.obtain(LIV)).toBe(id)
  })

  test.each([
    [0, 'PermanentError', 'refused'],
    [-1, 'PermanentError', 'refused'],
    [{ customerid: 0 }, 'PermanentError', 'refused'],
    ['Ok', 'UnknownOutcomeError', 'no-id'],
    [{ id: '6fa459ea-ee8a-3ca4-894e-db77e160355e' }, 'UnknownOutcomeError', 'no-id'],
    // What POST would answer: the path is that of a search.
    [[ROW], 'UnknownOutcomeError', 'no-id'],
  ])('When the answer is %j, then it was not executed, or nobody knows', async (body, name, code) => {
    await using given = await givenAnswer({ body })
    expect(await failureOf(given.platform.customers.obtain(LIV))).toMatchObject({ name, code })
  })
})

describe('searching for customers', () => {
  test('When an e-mail and ids are searched for, then the fields are those of a search', async () => {
    await using given = await givenAnswer({ body: [ROW] })
    given.server.play({ body: 1 }, '/api/Customer/count')
    const [found, ...others] = await all(given, { email: ' liv@example.com ', extIds: ['C-1'] })
    expect(found).toMatchObject({ customerId: '9', extId: 'C-1', email: 'Liv@Example.com' })
    expect(others).toEqual([])
    const filter = { emailContains: 'liv@example.com', customerExtIds: ['C-1'] }
    expect(sentBy(given)).toEqual({ ...filter, pageSize: 1000, pageSkip: 0 })
    expect(sentBy(given, 1)).toEqual(filter)
    expect(given.server.asked.map(({ line }) => line)).toEqual(['POST /api/Customer', 'POST /api/Customer/count'])
  })

  // Facts, §5 trap 20.
  test('When the platform ignores the filter, then all pages of strangers are read and none is given', async () => {
    await using given = await givenPlatform()
    const strangers = Array.from({ length: 4 }, (_, index) => ({
      customerid: index + 1,
      email: `${index}@example.com`,
    }))
    given.server.play([{ body: strangers }, { body: [{ ...ROW, email: 'LIV@example.com' }] }])
    given.server.play({ body: 5 }, '/api/Customer/count')
    const found = await all(given, { email: 'liv@example.com', pageSize: 4 })
    expect(found.map(({ customerId }) => customerId)).toEqual(['9'])
  })

  test('When a page in the middle is empty, then the next one is asked for; too few at the end are an error', async () => {
    await using given = await givenAnswer([{ body: [] }, { body: [] }, { body: [ROW] }])
    given.server.play([{ body: 1 }, { body: 3 }], '/api/Customer/count')
    expect(await all(given, { extIds: ['C-1'], pageSize: 1 })).toHaveLength(1)
    given.server.play([{ body: [] }])
    given.server.play({ body: 2 }, '/api/Customer/count')
    expect(await failureOf(all(given, { email: 'liv@example.com', pageSize: 1 }))).toMatchObject({ code: 'incomplete' })
  })

  test.each([[{}], [{ email: ' ' }], [{ extIds: [] }], [{ email: 'a@b', pageSize: 0 }]])(
    'When the filter is %j, then nothing is sent: it would find everybody, or nobody',
    async (filter) => {
      await using given = await givenPlatform()
      expect(await failureOf(all(given, filter))).toMatchObject({ code: 'invalid-request' })
      expect(given.server.asked).toEqual([])
    },
  )
})

describe('what errors about customers say', () => {
  for (const way of ['obtain', 'search'] as const)
    test(`When ${way} is refused with data of anybody, then none is shown`, async () => {
      await using given = await givenPlatform()
      const said = `Phone 99887766 of Liv belongs to Ola Hansen (OLA@example.com), key ${API_KEY}. See emailContains.`
      given.server.play({ status: 400, body: { message: said } })
      const { customers } = given.platform
      const failure = await failureOf(
        way === 'obtain' ? customers.obtain(LIV) : all(given, { email: 'liv@example.com' }),
      )
      expect(failure).toMatchObject({ name: 'PermanentError', code: 'http-400' })
      expect(failure.message).not.toMatch(/99887766|Liv|Ola|Hansen|example\.com|api-key-of/)
      expect(failure.message).toContain(way === 'obtain' ? 'it names phone' : 'it names emailContains')
    })

  test('When what comes has no id, then the error shows no other field of it', async () => {
    await using given = await givenAnswer({ body: { email: 'liv@example.com' } })
    const failure = await failureOf(all(given, { email: 'liv@example.com' }))
    expect(failure).toMatchObject({ code: 'unexpected-answer' })
    expect(failure.message).toContain('customer 1 has no customerId')
    expect(failure.message).not.toContain('liv')
  })
})

type Filter = Parameters<Given['platform']['customers']['search']>[0]

async function all({ platform }: Given, filter: Filter): Promise<PlatformCustomer[]> {
  return Array.fromAsync(platform.customers.search(filter))
}

function sentBy({ server }: Given, index = 0): unknown {
  return JSON.parse(server.asked[index]?.body ?? '')
}
