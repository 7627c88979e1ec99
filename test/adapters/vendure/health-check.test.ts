import { expect, test } from 'vitest'
import { look } from '../checked.ts'
import { ADMINISTRATOR, adapterAt, startStandIn } from './kit.ts'

const SECRETS = [ADMINISTRATOR.password, 'a-key-of-somebody-else']

test('When all is right, then it says so of each thing, by session and by API key', async () => {
  await using shop = await startStandIn()
  await using bySession = adapterAt(shop.url)
  await using byKey = adapterAt(shop.url, { apiKey: shop.apiKey })
  const all = ['connection: ok', 'credentials: ok', 'channel: ok', 'rights: ok', 'version: ok', 'clock: ok']
  expect((await look(bySession)).states).toEqual(all)
  expect((await look(byKey, { secrets: [shop.apiKey] })).states).toEqual(all.with(3, 'rights: note'))
  expect(await shop.orders()).toEqual([])
})

test('When the shop does not know who asks, then that is said, and not that a right is lacking', async () => {
  await using shop = await startStandIn()
  await using stranger = adapterAt(shop.url, { password: 'of-somebody-else' })
  await using foreignKey = adapterAt(shop.url, { apiKey: 'a-key-of-somebody-else' })
  for (const instance of [stranger, foreignKey]) {
    const { states, about } = await look(instance, { secrets: [...SECRETS, 'of-somebody-else'] })
    expect(states).toEqual(['credentials: problem'])
    expect(about('credentials')).toMatch(/^It refuses our key or password/)
  }
})

test('When the role lacks rights, then each is named', async () => {
  const permissions = ['ReadOrder', 'CreateOrder', 'UpdateOrder', 'ReadPaymentMethod', 'ReadCatalog', 'ReadCustomer']
  await using shop = await startStandIn({ permissions })
  await using instance = adapterAt(shop.url)
  const { states, about } = await look(instance)
  expect(states).toContain('rights: problem')
  expect(about('rights')).toMatch(
    /our role lacks DeleteOrder, UpdateCatalog, CreateCustomer, UpdateCustomer, DeleteCustomer\. give the/,
  )
})

test('When config names a channel or a field that the shop does not have, then that is said', async () => {
  await using shop = await startStandIn()
  await using elsewhere = adapterAt(shop.url, { channelToken: 'no-such-channel' })
  await using misnamed = adapterAt(shop.url, { gtinField: 'ean' })
  expect((await look(elsewhere, { secrets: ['no-such-channel'] })).about('channel')).toMatch(
    /^It does not have what config names there .*CHANNEL_NOT_FOUND.*correct the name in config/,
  )
  const { states, about } = await look(misnamed)
  expect(states).toContain('version: problem')
  expect(about('version')).toMatch(/a custom field of config \(ean, posNumber, pickupStore\) is not there/)
})

test('When nobody answers, then the connection is the problem', async () => {
  await using instance = adapterAt('http://127.0.0.1:1/admin-api')
  expect((await look(instance, { secrets: SECRETS })).states).toEqual(['connection: problem'])
})
