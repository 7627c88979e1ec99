import { expect, test } from 'vitest'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { LevelPage } from '../../../src/ports/ports.ts'
import type { Given } from '../../fixtures/payloads.ts'
import type { Article } from '../../peers/vendure-stand-in/books.ts'
import { startHttpPeer } from '../http/peer.ts'
import { adapterAt, attemptOf, startStandIn } from './kit.ts'

const signal = new AbortController().signal

/** The adapter, and what it reads of the shop at this address. */
function reader(url: string, given: Given = {}) {
  const instance = adapterAt(url, given)
  const { readLevels: read, setLevels } = instance.ports.stock ?? {}
  if (!read || !setLevels) throw new Error('The adapter lacks a method.')
  return { read, setLevels, [Symbol.asyncDispose]: () => instance[Symbol.asyncDispose]() }
}

async function startReading(articles: readonly Partial<Article>[]) {
  const shop = await startStandIn({
    articles: articles.map((article, index) => {
      return { sku: `S-${index}`, gtin: null, name: `No. ${index}`, price: 100, stock: index, ...article }
    }),
  })
  const it = reader(shop.url)
  return {
    ...it,
    shop: shop.standIn,
    async [Symbol.asyncDispose]() {
      await it[Symbol.asyncDispose]()
      await shop[Symbol.asyncDispose]()
    },
  }
}

test('When a location is read, by its name or its id, then its own levels come, by SKU and the field of the GTIN', async () => {
  await using it = await startReading([
    { sku: 'TEE', gtin: '7090012340011', stock: 50 },
    { sku: 'CAP', stock: 3 },
  ])
  const level = { location: 'Oslo City', gtin: '7090012340011', sku: null, level: parseDecimal('7.9') }
  await it.setLevels([{ argument: level, attempt: attemptOf() }])
  const [first, second] = it.shop.locations()
  const expected = (tee: string, cap: string): LevelPage => ({
    levels: [
      { gtin: '7090012340011', sku: 'TEE', level: parseDecimal(tee) },
      { gtin: null, sku: 'CAP', level: parseDecimal(cap) },
    ],
    next: null,
  })
  expect(await it.read('Default Stock Location', null, { signal })).toEqual(expected('50', '3'))
  expect(await it.read('Oslo City', null, { signal })).toEqual(expected('7', '0'))
  expect(await it.read(first?.id ?? '', null, { signal })).toEqual(expected('50', '3'))
  expect(await it.read(second?.id ?? '', null, { signal })).toEqual(expected('7', '0'))
})

test('When variants are not counted, by themselves or by the settings of the shop, then they are left out', async () => {
  await using it = await startReading([
    { sku: 'ALWAYS', trackInventory: 'TRUE' },
    { sku: 'NEVER', trackInventory: 'FALSE' },
    { sku: 'AS-USUAL', trackInventory: 'INHERIT' },
  ])
  const skus = async () => (await it.read('Oslo City', null, { signal })).levels.map(({ sku }) => sku)
  expect(await skus()).toEqual(['ALWAYS', 'AS-USUAL'])
  it.shop.settings.trackInventory = false
  expect(await skus()).toEqual(['ALWAYS'])
})

test('When there are more than a page, then all come once, in pages', async () => {
  await using it = await startReading(Array.from({ length: 230 }, () => ({})))
  const pages: LevelPage[] = []
  for (const page of [null, '100', '200']) pages.push(await it.read('Default Stock Location', page, { signal }))
  expect(pages.map(({ next }) => next)).toEqual(['100', '200', null])
  const read = pages.flatMap(({ levels }) => levels.map(({ sku, level }) => `${sku}: ${level}`))
  expect(read).toEqual(Array.from({ length: 230 }, (_, index) => `S-${index}: ${index}`))
})

test('When the shop has no such location, then it says so, as when levels are told', async () => {
  await using it = await startReading([{}])
  await expect(it.read('Nowhere', null, { signal })).rejects.toMatchObject({
    name: 'PermanentError',
    code: 'no-stock-location',
    message: expect.stringContaining('Nowhere'),
  })
})

test.each([
  [{ status: 503 }, { name: 'RetryLaterError', scope: 'destination' }],
  ['close', { name: 'RetryLaterError' }],
  [
    { status: 200, body: '<html>' },
    { name: 'RetryLaterError', code: 'unreadable-answer' },
  ],
  [
    { status: 200, body: '{"data":{"stockLocations":{}}}' },
    { name: 'RetryLaterError', code: 'unreadable-answer' },
  ],
  [
    { status: 200, body: '{"errors":[{"extensions":{"code":"FORBIDDEN"}}]}' },
    { name: 'PermanentError', code: 'vendure-forbidden', message: expect.stringContaining('our role lacks a right') },
  ],
] as const)('When the answer is %j, then it throws as for any read', async (script, expected) => {
  await using peer = await startHttpPeer()
  peer.play(script)
  await using it = reader(peer.address, { apiKey: 'an-api-key-of-the-tests' })
  await expect(it.read('Oslo City', null, { signal })).rejects.toMatchObject(expected)
})
