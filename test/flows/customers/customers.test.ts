import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { onlyIn } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { type Kept, keptIn } from '../../hub.ts'
import { comesAgain, shareOnlineStore } from '../orders/online-given.ts'

const clock = createTestClock()
const opened = shareOnlineStore({ clock })

const TUVA = { store: '101', firstName: 'Tuva', lastName: 'Dahl', email: 'tuva@example.com', phone: '41 23 45 67' }

const accounts = (email: string) =>
  opened()
    .shop.customers()
    .filter((one) => one.email === email)

describe('a customer of the stores', () => {
  test('When one is added at a POS, then the shop has one account for her, however often it is told', async () => {
    const store = opened()
    const { customerId } = store.platform.actions.createCustomer(TUVA)
    await store.quiet()
    await comesAgain(store, 'CustomerCreated')
    await store.quiet()
    expect(accounts('tuva@example.com')).toMatchObject([
      {
        firstName: 'Tuva',
        lastName: 'Dahl',
        billing: { phone: '+4741234567', country: 'NO' },
        meta: [{ key: 'tillbridge_customer', value: String(customerId) }, { key: '_tillbridge_said' }],
      },
    ])
  })

  onlyIn(['facts', 'frontsystems-v2'], 'it reads what the platform told in its own words, which spec does not show')(
    'When the shop tells of the account in its turn, then nothing comes back to the platform, until somebody changes it there',
    async () => {
      const store = opened()
      const about = { email: 'echo@example.com', phone: '90 00 00 01' }
      const { customerId } = store.platform.actions.createCustomer({ ...TUVA, ...about })
      await store.quiet()
      const [account] = accounts('echo@example.com')
      const submitted = () => keptIn(store.hub).filter((kept) => isAbout(kept, 'CustomerSubmitted'))
      await eventually(() => store.shop.webhooks().some(({ topic }) => topic === 'customer.created'))
      expect(submitted()).toEqual([])

      await changeAccount(store, account?.id ?? 0, { billing: { city: 'Voss' } })
      await eventually(() => expect(submitted()).toHaveLength(1))
      const reported = await eventually(
        () => keptIn(store.hub).find((kept) => isAbout(kept, 'CustomerUpdated')) ?? false,
      )
      expect(JSON.parse(String(reported.body))).toMatchObject({
        customerId,
        customerExtId: `shop:${account?.id}`,
        city: 'Voss',
      })

      function isAbout({ kind, body }: Kept, wanted: string): boolean {
        return kind === wanted && body.includes('echo@example.com')
      }
    },
  )

  onlyIn(['facts', 'frontsystems-v2'], 'it reads what the platform told in its own words, which spec does not show')(
    'When two of one family share a phone, then a change of one in the shop changes nothing of the other',
    async () => {
      const store = opened()
      const shared = { ...TUVA, phone: '90 00 00 09' }
      const first = store.platform.actions.createCustomer({ ...shared, email: 'mother@example.com' })
      const second = store.platform.actions.createCustomer({ ...shared, firstName: 'Nora', email: 'nora@example.com' })
      await store.quiet()
      const [nora] = accounts('nora@example.com')
      await changeAccount(store, nora?.id ?? 0, { billing: { city: 'Voss' } })
      const updated = (id: unknown) =>
        keptIn(store.hub).filter(({ kind, identity }) => kind === 'CustomerUpdated' && identity === String(id))
      const [reported] = await eventually(() => {
        const found = updated(second.customerId)
        return found.length > 0 && found
      })
      expect(JSON.parse(String(reported?.body))).toMatchObject({ email: 'nora@example.com', city: 'Voss' })
      expect(updated(first.customerId)).toEqual([])
    },
  )

  test('When she moves and takes another e-mail address, then it is the same account', async () => {
    const store = opened()
    const { customerId } = store.platform.actions.createCustomer({
      ...TUVA,
      email: 'tuva-2@example.com',
      phone: '90 00 00 02',
    })
    await store.quiet()
    const [before] = accounts('tuva-2@example.com')
    store.platform.actions.updateCustomer({
      customerId: Number(customerId),
      email: 'tuva.dahl@example.com',
      city: 'Voss',
    })
    await store.quiet()
    expect(accounts('tuva-2@example.com')).toEqual([])
    expect(accounts('tuva.dahl@example.com')).toMatchObject([{ id: before?.id, billing: { city: 'Voss' } }])
  })

  onlyIn(['facts', 'frontsystems-v2'], 'it writes the payload of a customer itself, which spec does not show')(
    'When what she was before is told late, or sent again, then the shop keeps what she is now',
    async () => {
      const store = opened()
      const about = {
        customerId: 88_001,
        email: 'late@example.com',
        firstName: 'Tuva',
        lastName: 'Dahl',
        countryCode: 'NO',
      }
      const hours = (ago: number) => new Date(clock.now() - ago * 3_600_000).toISOString().slice(0, -1)
      const [created, changed] = [hours(1_000), hours(100)]
      let reported = 0
      const cityAfter = async (kind: string, city: string, more: object) => {
        reported += 1
        await store.hub.post(kind, { ...about, city, ...more }, { eventId: `late-${reported}` })
        await store.quiet()
        return accounts('late@example.com').map(({ billing }) => billing.city)
      }
      const at = (updatedDateTime: unknown) => ({ createdDateTime: created, updatedDateTime })
      expect(await cityAfter('CustomerUpdated', 'Voss', at(changed))).toEqual(['Voss'])
      expect(await cityAfter('CustomerUpdated', 'Oslo', at(hours(101)))).toEqual(['Voss'])
      expect(await cityAfter('CustomerCreated', 'Oslo', at(null))).toEqual(['Voss'])
      // Of one instant, what comes last counts; so does what does not say when it was, or says what cannot be.
      expect(await cityAfter('CustomerUpdated', 'Bergen', at(changed))).toEqual(['Bergen'])
      expect(await cityAfter('CustomerUpdated', 'Hamar', at(null))).toEqual(['Hamar'])
      expect(await cityAfter('CustomerUpdated', 'Moss', at('0001-01-01T00:00:00'))).toEqual(['Moss'])
      expect(await cityAfter('CustomerUpdated', 'Molde', at('9999-12-31T00:00:00'))).toEqual(['Molde'])
      expect(await cityAfter('CustomerUpdated', 'Oslo', at(hours(124)))).toEqual(['Molde'])
      expect(await cityAfter('CustomerUpdated', 'Arendal', at(hours(99)))).toEqual(['Arendal'])
    },
  )
})

/** As the customer does in the shop. */
async function changeAccount(store: ReturnType<typeof opened>, id: number, change: object): Promise<void> {
  const login = Buffer.from(`${store.env.SHOP_KEY}:${store.env.SHOP_SECRET}`).toString('base64')
  const { statusCode, body } = await request(`${store.shop.url}/wp-json/wc/v3/customers/${id}`, {
    method: 'PUT',
    headers: { authorization: `Basic ${login}`, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  await body.dump()
  expect(statusCode).toBe(200)
}
