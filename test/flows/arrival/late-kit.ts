import { afterAll, beforeAll, expect } from 'vitest'
import type { Platform } from '../../../src/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { type LossyProxy, startLossyProxy } from '../../adapters/lossy-proxy.ts'
import { eventually } from '../../eventually.ts'
import { type Counter, KEYS, openCounter } from '../../http/submissions/given.ts'
import { deliveriesOf } from '../../hub.ts'

/** An own system that submits, a platform that refuses some of it, and a person who tries again what was refused; for all tests of a file. */
export function shareLate(how: { reserveOrders?: true } = {}) {
  let counter: Counter
  let proxy: LossyProxy
  let portal: Platform

  beforeAll(async () => {
    counter = await openCounter({}, async (url) => {
      proxy = await startLossyProxy(url)
      return { baseUrl: proxy.url, preset: 'frontsystems-v2', ...how }
    })
    portal = createPlatform({ preset: 'frontsystems-v2', baseUrl: counter.platform.url, ...KEYS })
  })

  afterAll(async () => {
    await portal[Symbol.asyncDispose]()
    await counter[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })

  async function ended(): Promise<string[]> {
    return await eventually(async () => {
      const rows = await deliveriesOf(counter.hub)
      expect(rows.map(({ state }) => state)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/waiting|claimed/)]),
      )
      return rows.map(({ flow, state, code }) => `${flow} ${state} ${code}`)
    }, 20_000)
  }

  return {
    counter: () => counter,
    portal: () => portal,

    /** Submits one that is refused while the text is in it (null: it is not), and gives its end. */
    async submitted(
      resource: string,
      item: object | string,
      refused: string | null = null,
      method = 'POST',
    ): Promise<string> {
      proxy.refuse(refused)
      const { status, text } = await counter.submit(resource, item, { method })
      expect({ status, text }).toMatchObject({ status: 202 })
      const [end] = await ended()
      proxy.refuse(null)
      return end ?? ''
    },

    async triedAgain(): Promise<string[]> {
      const { status } = await counter.hub.admin('deliveries/retry', { filter: { state: 'dead' } })
      expect(status).toBe(200)
      return await ended()
    },

    named: async (gtin: string): Promise<(string | null)[]> =>
      (await Array.fromAsync(portal.products.search({ gtins: [gtin] }))).map(({ name }) => name),
  }
}

/** All that the platform wants to know of a new product. */
export const WHOLE = {
  ...{ number: 'NEW', variant: '1', groupName: 'Knitwear', color: 'Blue', season: 'AW26', brand: 'Nordlys' },
  productSizes: [{ gtin: '7090000009999', label: 'M' }],
}
