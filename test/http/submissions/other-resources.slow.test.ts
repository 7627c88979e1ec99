import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from '../../../src/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { type Door, openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { type Counter, KEYS, openCounter } from './given.ts'

/* What only the public documentation has, from an own system's request to what the platform has made of it. */

interface Ended {
  state: string
  code: string | null
  why: string
}

/** What `/v1/submissions/{id}` says. */
interface Status {
  done: boolean
  failed: Ended[]
  destinations: Record<string, { delivered: number }>
}

const TEE = '7090012340011'

describe.each(['spec', 'frontsystems-v2'] as const)('At a platform that is spoken to as %s', (preset) => {
  let counter: Counter
  let recorder: Door
  let portal: Platform

  beforeAll(async () => {
    counter = await openCounter({}, async (url) => {
      recorder = await openDoor(url)
      return { baseUrl: recorder.url, preset }
    })
    portal = createPlatform({ preset, baseUrl: counter.platform.url, ...KEYS })
  })

  afterAll(async () => {
    await portal[Symbol.asyncDispose]()
    await counter[Symbol.asyncDispose]()
    await recorder[Symbol.asyncDispose]()
  })

  /** Submits one, and waits for what becomes of it. */
  async function end(resource: string, item: object): Promise<Ended> {
    const { status, text, body } = await counter.submit(resource, item)
    expect({ status, text }).toMatchObject({ status: 202 })
    return await eventually(async () => {
      const { body: now } = await counter.get<Status>(`submissions/${body.id}`)
      const [failed] = now.failed
      if (failed) return failed
      expect(now.done).toBe(true)
      return { state: now.destinations.platform?.delivered === 1 ? 'delivered' : 'none', code: null, why: '' }
    })
  }

  async function level(stockId: string): Promise<string | undefined> {
    return (await portal.stock.levels({ stockIds: [stockId] })).rows.find(({ id }) => id === TEE)?.quantity
  }

  test('When goods go to another store, and some are broken, then both stocks say so, once', async () => {
    for (const stockId of ['12', '13']) await portal.stock.adjust({ stockId, items: [{ gtin: TEE, quantity: '10' }] })
    const productLines = [{ gtin: TEE, qty: 4 }]
    const transfer = { extRef: 'T-1', storeNo: '101', toStockNo: '102', insertAsReceived: true, productLines }
    expect(await end('transfers', transfer)).toMatchObject({ state: 'delivered' })
    const again = await counter.submit('transfers', transfer)
    expect(again.body).toMatchObject({ duplicates: 1 })
    expect(
      await end('stock-corrections', { extRef: 'C-1', storeNo: '101', orderLines: [{ gtin: TEE, qty: -1 }] }),
    ).toMatchObject({ state: 'delivered' })
    expect([await level('12'), await level('13')]).toEqual(['5', '14'])
    const links = await counter.hub.hub.storage.links('platform', 'transfer', ['T-1'])
    expect(links).toMatchObject([{ theirId: expect.stringMatching(/^\d+$/) }])
  })

  test('When the answer to a transfer gets lost, then it waits for a person, and is not sent again', async () => {
    recorder.judge = ({ line }) => (line.startsWith('PUT /api/ProductTransfer') ? 'silent' : null)
    const productLines = [{ gtin: TEE, qty: 1 }]
    const transfer = { extRef: 'T-3', storeNo: '101', toStockNo: '102', insertAsReceived: false, productLines }
    expect(await end('transfers', transfer)).toMatchObject({ state: 'held' })
    recorder.judge = () => null
    const sent = recorder.sent('PUT /api/ProductTransfer') as { extRef: string }[]
    expect(sent.filter(({ extRef }) => extRef === 'T-3')).toHaveLength(1)
  })

  const listId = async (list: string) => (await portal.prices.lists()).rows.find(({ name }) => name === list)?.id ?? ''

  test('When a campaign ends before its time, then the ordinary price of the list stays', async () => {
    const prices = [
      { gtin: TEE, price: '299' },
      { gtin: TEE, price: '199', validFrom: '2026-11-01T00:00:00Z', validTo: '2031-01-01T00:00:00Z' },
    ]
    await portal.prices.saveList({ name: 'Autumn', prices })
    expect(await end('price-ends', { list: 'Autumn', gtin: TEE })).toMatchObject({ state: 'delivered' })
    const left = (await portal.listedPrices.read(await listId('Autumn'), { gtin: TEE })).rows
    const open = left.filter(({ validTo }) => Date.parse(validTo ?? '') > Date.now())
    expect(open).toMatchObject([{ price: '299' }])
    // Nothing else would go: so it is deleted.
    await portal.prices.saveList({ name: 'Club', prices: [{ ...prices[1], price: '199', gtin: TEE }] })
    await end('price-ends', { list: 'Club', gtin: TEE, validFrom: '2026-11-01T00:00:00Z' })
    expect((await portal.listedPrices.read(await listId('Club'), { gtin: TEE })).rows).toEqual([])
    expect(await end('price-ends', { list: 'Nowhere', gtin: TEE })).toMatchObject({
      state: 'dead',
      code: 'unknown-list',
    })
  })

  test('When a customer is deleted, then the platform has done so', async () => {
    await end('customers', { extId: 'C-50', firstName: 'Liv', agreedSendEmail: true })
    const record = async () => (await Array.fromAsync(portal.customers.search({ extIds: ['C-50'] })))[0]?.record
    expect(await record()).toMatchObject({ agreedSendEmail: true })
    await end('customers', { extId: 'C-50', agreedSendEmail: false })
    expect(await record()).toMatchObject({ agreedSendEmail: false })
    expect(await end('customer-deletions', { extId: 'C-50' })).toMatchObject({ state: 'delivered' })
    expect(await record()).toBeUndefined()
  })
})
