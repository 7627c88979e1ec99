import { expect, test } from 'vitest'
import { createPlatformErasing } from '../../../src/adapters/platform/customers.ts'
import { attempt, toSandbox, toServer } from './given.ts'

async function toErase() {
  const ways = await toSandbox({ preset: 'frontsystems-v2' })
  const { sandbox, platform } = ways
  const { erase } = createPlatformErasing(platform)
  return {
    add: (email: string, firstName: string) => String(sandbox.actions.createCustomer({ email, firstName }).customerId),
    found: async (email: string) =>
      (await Array.fromAsync(platform.customers.search({ email }))).map(({ customerId }) => customerId),
    erase: (who: object) => erase?.({ ...NONE, ...who }, attempt()),
    [Symbol.asyncDispose]: () => ways[Symbol.asyncDispose](),
  }
}

const NONE = { pseudonym: 'erased-7f3a01bc', customerIds: [], theirIds: [], emails: [], orders: [] }

test('When the hub knows a person by an address alone, then the one customer who has it at the platform is deleted there', async () => {
  await using it = await toErase()
  it.add('tuva@example.com', 'Tuva')
  const other = it.add('other.tuva@example.com', 'Tuvalina')
  expect(await it.erase({ emails: ['tuva@example.com'] })).toEqual({
    note: '1 customer deleted, 0 not there (any more)',
  })
  expect(await it.found('tuva@example.com')).toEqual([])
  expect(await it.found('other.tuva@example.com')).toEqual([other])
})

test('When several customers there have the address, then whom the hub knows is deleted, and the others are named for a person', async () => {
  await using it = await toErase()
  const [known, other] = [it.add('berg@example.com', 'Ola'), it.add('berg@example.com', 'Kari')]
  await expect(it.erase({ theirIds: [known], emails: ['berg@example.com'] })).rejects.toMatchObject({
    code: 'several-customers',
    message: expect.stringMatching(new RegExp(`1 customer deleted.* look in the portal at ${other},`)),
  })
  expect(await it.found('berg@example.com')).toEqual([other])
})

test('When a platform has no search for customers, then whom the hub knows is deleted, and the note says so', async () => {
  await using given = await toServer()
  given.server.play({ status: 200, body: {} }, '/api/Customer/17')
  const who = { ...NONE, theirIds: ['17'], emails: ['tuva@example.com'] }
  expect(await createPlatformErasing(given.platform).erase?.(who, attempt())).toEqual({
    note: '1 customer deleted, 0 not there (any more); it could not be asked whom it knows by their address',
  })
})
