import { expect, test } from 'vitest'
import { customer } from '../../fixtures/payloads.ts'
import { order, product } from '../../http/submissions/given.ts'
import { shareLate, WHOLE } from './late-kit.ts'

/* Something is refused, and what came after it said otherwise. Then a person tries again all that is dead: the newer word holds. */

const { counter, portal, submitted, triedAgain, named } = shareLate({ reserveOrders: true })

function sweater(extId: string, gtin: string, more: object = {}) {
  return product(extId, { ...WHOLE, number: extId, productSizes: [{ gtin, label: 'M' }], ...more })
}

test('When a product was refused, and was submitted anew, then a retry does not bring back what it was', async () => {
  const [old, newer] = ['Old', 'New'].map((name) => sweater('P-1', '7020000000109', { name }))
  expect(await submitted('products', old ?? {}, 'P-1')).toContain('dead')
  expect(await submitted('products', newer ?? {})).toContain('delivered')
  expect(await triedAgain()).toContain('save-products superseded invalidated')
  expect(await named('7020000000109')).toEqual(['New'])
})

test('When a product was refused, and less of it was submitted since, then a retry brings the rest alone, and it is news again', async () => {
  const old = sweater('P-2', '7020000000208', { name: 'Old', season: 'SS27' })
  expect(await submitted('products', sweater('P-2', '7020000000208'))).toContain('delivered')
  expect(await submitted('products', old, 'P-2')).toContain('dead')
  expect(await submitted('products', { extId: 'P-2', name: 'New' })).toContain('delivered')
  await triedAgain()
  const season = async () =>
    (await Array.fromAsync(portal().products.search({ gtins: ['7020000000208'] }))).map((one) => [one.name, one.season])
  expect(await season()).toEqual([['New', 'SS27']])
  expect(await submitted('products', old)).toBe('save-products delivered delivered')
  expect(await season()).toEqual([['Old', 'SS27']])
})

test('When a text of a product was refused, and another was submitted since, by itself or with the product, then a retry does not bring it back', async () => {
  const described = async () =>
    (await Array.fromAsync(portal().products.search({ gtins: ['7020000000406'] }))).map((one) => one.description)
  expect(await submitted('products', sweater('P-4', '7020000000406'))).toContain('delivered')
  expect(await submitted('products/P-4', { description: 'First' }, 'First', 'PATCH')).toContain('dead')
  expect(await submitted('products/P-4', { description: 'Second' }, null, 'PATCH')).toContain('delivered')
  expect(await submitted('products/P-4', { description: 'Third' }, 'Third', 'PATCH')).toContain('dead')
  await triedAgain()
  expect(await described()).toEqual(['Third'])
  expect(await submitted('products/P-4', { description: 'Fourth' }, 'Fourth', 'PATCH')).toContain('dead')
  expect(await submitted('products', { extId: 'P-4', name: 'New', description: 'Fifth' })).toContain('delivered')
  await triedAgain()
  expect(await described()).toEqual(['Fifth'])
})

const KARI = { extId: 'C-1', firstName: 'Kari', email: 'kari@example.com' }

async function found(extId: string) {
  const found = await Array.fromAsync(portal().customers.search({ extIds: [extId] }))
  return found.map(({ customerId, record }) => ({ ...record, customerId }) as Record<string, string>)
}

test('When a customer was refused, and was submitted anew, then a retry does not bring back who they were, and keeps no word that is theirs alone', async () => {
  expect(await submitted('customers', { ...KARI, city: 'Voss', lastName: 'Berg' }, 'C-1')).toContain('dead')
  expect(await submitted('customers', { ...KARI, firstName: 'Karin', address: 'Torget 1' })).toContain('delivered')
  await triedAgain()
  expect(await found('C-1')).toMatchObject([{ firstName: 'Karin', lastName: 'Berg', address: 'Torget 1', city: '' }])
})

test('When a customer was refused who agreed, and they withdrew since, then a retry does not have them written to', async () => {
  expect(await submitted('customers', { ...KARI, extId: 'C-3' })).toContain('delivered')
  const agreed = { ...KARI, extId: 'C-3', firstName: 'Karin', agreedSendEmail: true, agreedSendSms: true }
  expect(await submitted('customers', agreed, 'C-3')).toContain('dead')
  const revoked = { extId: 'C-3', agreedSendEmail: false, agreedSendSms: false }
  expect(await submitted('customers', revoked)).toContain('delivered')
  await triedAgain()
  expect(await found('C-3')).toMatchObject([{ firstName: 'Karin', agreedSendEmail: false, agreedSendSms: false }])
})

test('When a customer agreed who was refused, and withdrew at a POS since, then a retry does not have them written to', async () => {
  const kari = { ...KARI, extId: 'C-5', email: 'kari5@example.com' }
  expect(await submitted('customers', kari)).toContain('delivered')
  const [{ customerId = '' } = {}] = await found('C-5')
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, -1)
  const reported = async (said: object) => {
    const given = { customerId: Number(customerId), customerExtId: 'C-5', ...said }
    const body = customer({ ...given, updatedDateTime: at(0) })
    expect((await counter().hub.post('CustomerUpdated', body)).status).toBeLessThan(300)
    // Whoever looks for them has the index catch up.
    await counter().hub.admin('people/find', { who: 'C-5' })
  }
  const both = { agreedSendEmail: true, agreedSendSms: true }
  expect(await submitted('customers', { ...kari, firstName: 'Karin', ...both }, 'C-5')).toContain('dead')
  await reported({ agreedSendEmail: false, agreedSendSMS: true, gdprUpdatedDateTime: at(1) })
  expect((await triedAgain())[0]).toBe('save-customer delivered delivered')
  expect(await found('C-5')).toMatchObject([{ firstName: 'Karin', agreedSendSms: true }])
  expect((await found('C-5'))[0]).not.toMatchObject({ agreedSendEmail: true })

  // Who had not agreed when they moved has revoked nothing.
  expect(await submitted('customers', { ...kari, ...both }, 'C-5')).toContain('dead')
  await reported({ agreedSendEmail: false, agreedSendSMS: false, city: 'Bergen', gdprUpdatedDateTime: at(-48) })
  expect((await triedAgain())[0]).toBe('save-customer delivered delivered')
  expect(await found('C-5')).toMatchObject([{ agreedSendEmail: true, agreedSendSms: true }])
})

test('When goods could not be kept for an order, and it was cancelled since, then a retry keeps none', async () => {
  counter().platform.strange.keepsForOrders = false
  const kept = async () => (await portal().reservations.list('13')).rows.filter(({ extId }) => extId?.startsWith('K-'))
  const tees = order('K-1', { orderLines: [{ gtin: '7090012340011', price: '399.50', quantity: 2 }] })
  await submitted('orders', tees, 'Stockreservation')
  await submitted('orders/K-1', '', null, 'DELETE')
  await triedAgain()
  expect(await kept()).toEqual([])
  await submitted('orders', { ...tees, orderNo: 'K-2' }, 'Stockreservation')
  await triedAgain()
  expect(await kept()).toMatchObject([{ extId: 'K-2', quantity: '2' }])
})

const [TEE, CAP] = ['7090012340011', '7090012340059']

/** How many of each there are in the stock. */
async function levels(): Promise<(string | null | undefined)[]> {
  const { rows } = await portal().stock.levels({ stockIds: ['12'] })
  return [TEE, CAP].map((gtin) => rows.find(({ id }) => id === gtin)?.quantity)
}

async function confirmed(quantity: number): Promise<object> {
  const items = [TEE, CAP].map((gtin) => ({ gtin, quantity }))
  const count = { stockId: 12, isCompleteStockCount: true, stockCountTime: '2026-11-20T06:00:00Z', items }
  const { body } = await counter().submit('stock-adjustments?dryRun=true', count, { key: null })
  return { ...count, confirmation: body.confirmation }
}

async function counted(quantity: number, refused: string | null = null): Promise<string> {
  return await submitted('stock-adjustments', await confirmed(quantity), refused)
}

test('When a stock is counted while a level of it gathers with others, then the level goes first', async () => {
  const count = await confirmed(6)
  await counter().submit('stock-adjustments', { stockId: 12, gtin: TEE, quantity: 2 })
  expect(await submitted('stock-adjustments', count)).toContain('delivered')
  expect(await levels()).toEqual(['6', '6'])
})

test('When a level was refused, and the stock was counted since, then a retry does not go over the count', async () => {
  expect(await submitted('stock-adjustments', { stockId: 12, gtin: TEE, quantity: 77 }, '77')).toContain('dead')
  expect(await counted(5)).toContain('delivered')
  expect(await triedAgain()).toContain('set-stock superseded invalidated')
  expect(await levels()).toEqual(['5', '5'])
})

test('When a count was refused, and levels of the stock were told since, then a retry counts the others', async () => {
  expect(await counted(9, 'isComplete')).toContain('dead')
  expect(await submitted('stock-adjustments', { stockId: 12, gtin: TEE, quantity: 3 })).toContain('delivered')
  expect(await submitted('stock-adjustments', { stockId: 13, gtin: CAP, quantity: 2 })).toContain('delivered')
  expect(await submitted('stock-adjustments', { stockId: 12, gtin: TEE, quantity: 4 })).toContain('delivered')
  await triedAgain()
  expect(await levels()).toEqual(['4', '9'])
})
