import { describe, expect, test } from 'vitest'
import type { CustomerRecord } from '../../../src/domain/customers/customer-record.ts'
import { readTypedPhone } from '../../../src/domain/values/phone.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { askShop, type ConnectedShop, SHIRT, startConnected, VAT } from './kit.ts'

const QUESTION = { signal: new AbortController().signal }

function customer(given: Partial<CustomerRecord> = {}): CustomerRecord {
  const name = { firstName: 'Kari', lastName: 'Nordmann', companyName: null }
  const place = { address: 'Storgata 1', postalCode: '0155', city: 'Oslo', countryCode: 'NO' }
  const ids = { customerId: '77', extId: null }
  return { ...ids, email: 'kari@example.com', phone: '+4791234567', ...name, ...place, ...given }
}

function upsert(it: ConnectedShop, record: CustomerRecord, given: Parameters<typeof attempt>[0] = {}) {
  return it.ports.customers.upsert?.(record, attempt(given))
}

describe('a customer of the platform', () => {
  test('When the shop has none with this e-mail address, then there is an account, linked to the customer', async () => {
    await using it = await startConnected()
    const effect = await upsert(it, customer())
    const [made, ...others] = it.shop.customers()
    expect(others).toEqual([])
    expect(made).toMatchObject({
      email: 'kari@example.com',
      firstName: 'Kari',
      billing: { phone: '+4791234567', postcode: '0155', country: 'NO' },
    })
    expect(effect).toEqual({
      note: `customer ${made?.id} created`,
      links: [{ kind: 'customer', id: '77', theirId: String(made?.id) }],
    })
  })

  test('When the shop has one, in other capitals, then it is that one, and what is not known stays', async () => {
    await using it = await startConnected()
    await upsert(it, customer({ email: 'Kari@Example.com', customerId: '1' }))
    await upsert(it, customer({ firstName: 'Karin', city: null, phone: null }))
    expect(it.shop.customers()).toMatchObject([{ firstName: 'Karin', billing: { city: 'Oslo', phone: '+4791234567' } }])
  })

  test('When the e-mail address changed, then the account that is linked gets it', async () => {
    await using it = await startConnected()
    const made = await upsert(it, customer())
    const links = async () => (made?.links ?? []).map((link) => ({ ...link, destination: 'shop' }))
    await upsert(it, customer({ email: 'kari.nordmann@example.com' }), { links })
    expect(it.shop.customers()).toMatchObject([{ email: 'kari.nordmann@example.com' }])
  })

  test('When the linked account is gone, then the e-mail address finds or makes one', async () => {
    await using it = await startConnected()
    const links = async () => [{ kind: 'customer', id: '77', theirId: '99999', destination: 'shop' }]
    await upsert(it, customer(), { links })
    expect(it.shop.customers()).toHaveLength(1)
  })

  test('When the answer to the creation is lost, then the next try finds the account', async () => {
    await using it = await startConnected()
    it.shop.faults.next('drop-answer', { method: 'POST' })
    await expect(upsert(it, customer())).rejects.toMatchObject({ name: 'UnknownOutcomeError' })
    await upsert(it, customer(), { previous: 'open' })
    expect(it.shop.customers()).toHaveLength(1)
  })

  test('When the address belongs to one of the staff, then it is no second account, and no e-mail is changed', async () => {
    await using it = await startConnected()
    const boss = it.shop.addManager('kari@example.com')
    expect((await upsert(it, customer()))?.note).toBe(`customer ${boss.id} updated`)
    expect(it.shop.customers()).toHaveLength(1)
  })

  test('When a family shares an e-mail address, then the account stays the first one’s, and the note says whose it is', async () => {
    await using it = await startConnected()
    const made = await upsert(it, customer())
    const ola = customer({ customerId: '78', firstName: 'Ola', phone: '+4790000000' })
    for (const theirId of [[], [String(it.shop.customers()[0]?.id)]]) {
      // Of before, the hub may know it by a link as well.
      const links = async () => theirId.map((id) => ({ kind: 'customer', id: '78', theirId: id, destination: 'shop' }))
      const effect = await upsert(it, ola, { links })
      expect(effect?.note).toMatch(/another customer’s \(77\), .* nothing was sent$/)
      expect(effect?.links ?? []).toEqual([])
    }
    expect(it.shop.customers()).toMatchObject([{ firstName: 'Kari', billing: { phone: '+4791234567' } }])
    const moved = await upsert(it, { ...ola, email: 'ola@example.com' })
    expect(moved?.links?.[0]?.theirId).not.toBe(made?.links?.[0]?.theirId)
    expect(it.shop.customers().map(({ firstName }) => firstName)).toEqual(['Kari', 'Ola'])
  })
})

describe('a POS that asks', () => {
  test('When it asks for an e-mail address, then exactly that account is the answer', async () => {
    await using it = await startConnected()
    await upsert(it, customer())
    await upsert(it, customer({ customerId: '78', email: 'xkari@example.com' }))
    const [{ id } = { id: 0 }] = it.shop.customers()
    const search = (email: string) => it.ports.customers.search?.({ type: 'email', email }, QUESTION)
    expect(await search('kari@example.com')).toEqual([customer({ customerId: null, extId: String(id) })])
    expect(await search('nobody@example.com')).toEqual([])
  })

  for (const phone of ['912 34 567', '+4791234567', '004791234567', '91234567'] as const)
    test(`When the shop has the number as ${phone}, then a POS that asks for 91234567 finds who ordered, once`, async () => {
      await using it = await startConnected()
      for (const quantity of [1, 2]) await it.shop.placeOrder({ phone, lines: [{ sku: 'TEE-BLK-M', quantity }] })
      await it.shop.placeOrder({ phone: '99912345', email: 'ola@example.com', lines: [SHIRT] })
      const typed = readTypedPhone('91234567', ['NO', 'SE'])
      if (!typed) throw new Error('That is a phone number.')
      const found = await it.ports.customers.search?.({ type: 'phone', ...typed }, QUESTION)
      expect(found).toMatchObject([{ extId: null, email: 'kari@example.com', phone: '+4791234567' }])
    })
})

interface ShownOrder {
  id: number
  billing: Record<string, string>
}

describe('a customer who is to be erased', () => {
  const who = (given: object = {}) => ({
    pseudonym: 'erased-7f3a01bc',
    customerIds: ['77'],
    theirIds: [],
    emails: ['kari@example.com'],
    orders: [],
    ...given,
  })
  const billing = { first_name: 'Kari', last_name: 'Nordmann', email: 'kari@example.com', country: 'NO' }
  const ordersOf = async (it: ConnectedShop) =>
    (await askShop(it.shop, 'GET', '/orders?per_page=20&order=asc&orderby=id')) as unknown as ShownOrder[]
  const place = (it: ConnectedShop, body: object) =>
    askShop(it.shop, 'POST', '/orders', { line_items: [{ product_id: 11, quantity: 1 }], billing, ...body })

  test('When orders are over, then they say the pseudonym, also those of a guest, amounts stay, and the account is gone', async () => {
    await using it = await startConnected()
    await upsert(it, customer())
    const [account] = it.shop.customers()
    await place(it, { status: 'completed', customer_id: account?.id, customer_note: 'Ring Kari' })
    await place(it, { status: 'refunded' })
    await place(it, { status: 'completed', billing: { ...billing, email: 'ola@example.com', first_name: 'Ola' } })
    const before = it.shop.orders().map(({ total }) => total)
    for (const _ of ['once', 'again']) await it.ports.customers.erase?.(who(), attempt())
    expect(it.shop.customers()).toEqual([])
    const orders = await ordersOf(it)
    expect(it.shop.orders().map(({ total }) => total)).toEqual(before)
    expect(orders.map((order) => order.billing.first_name).sort()).toEqual([
      'Ola',
      'erased-7f3a01bc',
      'erased-7f3a01bc',
    ])
    expect(JSON.stringify(orders)).not.toMatch(/kari/i)
    expect(orders.map((order) => order.billing.country)).toEqual(['NO', 'NO', 'NO'])
  })

  test('When taxes have changed since an order, then it has the total that was booked all the same', async () => {
    const taxes = structuredClone(VAT)
    await using it = await startConnected({}, { taxes })
    await place(it, { status: 'completed' })
    const [before] = it.shop.orders()
    for (const rate of taxes.rates) rate.percent = '15'
    expect(await it.ports.customers.erase?.(who(), attempt())).toEqual({
      note: '0 accounts deleted, 1 order without a name',
    })
    expect(it.shop.orders()).toMatchObject([{ total: before?.total, totalTax: before?.totalTax }])
    expect(JSON.stringify(await ordersOf(it))).not.toMatch(/kari/i)
  })

  test('When a shop erases by the address alone, and computes another total with it, then that is said', async () => {
    const taxes = structuredClone(VAT)
    await using it = await startConnected({}, { taxes, addressesByMeta: false })
    const { id } = (await place(it, { status: 'completed' })) as { id: number }
    for (const rate of taxes.rates) rate.percent = '15'
    expect((await it.ports.customers.erase?.(who(), attempt()))?.note).toMatch(`other totals, please check: ${id}`)
    expect(JSON.stringify((await ordersOf(it)).map((order) => order.billing))).not.toMatch(/kari/i)
  })

  test('When an order of the customer lies in the trash, then it says the pseudonym too', async () => {
    await using it = await startConnected()
    const { id } = (await place(it, { status: 'completed' })) as { id: number }
    it.shop.trash(id)
    expect(await it.ports.customers.erase?.(who(), attempt())).toEqual({
      note: '0 accounts deleted, 1 order without a name',
    })
    expect(JSON.stringify(await askShop(it.shop, 'GET', `/orders/${id}`))).not.toMatch(/kari/i)
  })

  test('When an order is still to be sent, then it stays as it is, and the shop is not said to have erased', async () => {
    await using it = await startConnected()
    await place(it, { status: 'processing' })
    const erase = () => it.ports.customers.erase?.(who(), attempt())
    await expect(erase()).rejects.toMatchObject({
      code: 'orders-not-over',
      message: expect.not.stringMatching(/kari/i),
    })
    const [order] = await ordersOf(it)
    expect(order?.billing.first_name).toBe('Kari')
    await askShop(it.shop, 'PUT', `/orders/${order?.id}`, { status: 'completed' })
    expect(await erase()).toEqual({ note: '0 accounts deleted, 1 order without a name' })
  })

  test('When one of a family that shares an e-mail address is erased, then their orders are, and the other’s account and orders stay', async () => {
    await using it = await startConnected()
    await upsert(it, customer())
    const [account] = it.shop.customers()
    const ofOla = {
      billing: { ...billing, first_name: 'Ola' },
      meta_data: [{ key: 'tillbridge_customer', value: '78' }],
    }
    await place(it, { status: 'completed', ...ofOla })
    await place(it, { status: 'completed', customer_id: account?.id })
    const orders = it.shop.orders().map(({ id }) => String(id))
    const ola = { customerIds: ['78'], theirIds: [String(account?.id)], emails: [], orders }
    const effect = await it.ports.customers.erase?.(who(ola), attempt())
    expect(effect?.note).toBe(
      `0 accounts deleted, 1 order without a name; an account is another customer’s, and stays: ${account?.id}`,
    )
    expect(it.shop.customers()).toHaveLength(1)
    expect((await ordersOf(it)).map((order) => order.billing.first_name)).toEqual(['erased-7f3a01bc', 'Kari'])
  })

  test('When the hub made an order of that number for somebody else, or the account is of the staff, then neither changes', async () => {
    await using it = await startConnected()
    const other = { ...billing, email: 'ola@example.com', first_name: 'Ola' }
    await place(it, { status: 'completed', billing: other })
    const orders = it.shop.orders().map(({ id }) => String(id))
    await it.ports.customers.erase?.(who({ orders }), attempt())
    expect((await ordersOf(it))[0]?.billing.first_name).toBe('Ola')
    it.shop.addManager('kari@example.com')
    await expect(it.ports.customers.erase?.(who(), attempt())).rejects.toMatchObject({ code: 'staff-account' })
    expect(it.shop.customers()).toHaveLength(1)
  })
})
