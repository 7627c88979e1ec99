import { expect, test } from 'vitest'
import { createPlatform } from '../../../src/platform/platform.ts'
import { apiAt } from '../../dialect.ts'
import { openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { startTestHub } from '../../hub.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'

const BULK = 'PUT /api/v2/Products/bulk-upsert'

/** What /v1 tells of a submission. */
interface Submission {
  id: number
  done: boolean
  destinations: { platform: Record<string, number> }
  failed: { line: number; why: string }[]
}

/** The platform behind a door, a hub before it, and an ERP with a key. */
async function openNight() {
  await using opened = new AsyncDisposableStack()
  const sandbox = opened.use(await givenPlatform())
  const door = opened.use(await openDoor(sandbox.url))
  const hub = opened.use(await startTestHub({ config: { platform: { baseUrl: apiAt(door.url), ...KEYS } } }))
  const platform = opened.use(createPlatform({ preset: 'spec', baseUrl: sandbox.portalUrl, ...KEYS }))
  await hub.admin('jobs/stores/run', {})
  await eventually(async () => expect(await hub.hub.storage.stores()).not.toEqual([]))
  const { body } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: 'products,orders,stock-adjustments' })
  const headers = { authorization: `Bearer ${body.key}` }
  const open = opened.move()
  return {
    door,
    platform,
    bulkCalls: () => door.passed.filter(({ line }) => line === BULK).length,
    /** Submits lines; gives what became of them in the end, when it is asked for. */
    async submit(resource: string, key: string, lines: readonly object[]) {
      const answer = await hub.ask<Submission>(`/v1/${resource}`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': key, 'content-type': 'application/x-ndjson' },
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      })
      expect(answer).toMatchObject({ status: 202 })
      return () =>
        eventually(async () => {
          const { body: status } = await hub.ask<Submission>(`/v1/submissions/${answer.body.id}`, { headers })
          return status.done && { ...status.destinations.platform, failed: status.failed }
        }, 20_000)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function catalogue(count: number) {
  return Array.from({ length: count }, (_, no) => ({
    extId: `${4000 + no}-BLUE`,
    name: 'Rain jacket',
    number: String(4000 + no),
    variant: 'BLUE',
    groupName: 'Jackets',
    season: 'AW26',
    color: 'Blue',
    brand: 'Fjell',
    price: '1299.50',
    productSizes: [{ gtin: String(7_090_000_000_000 + no), label: 'M' }],
  }))
}

test('When one of two hundred products makes the platform refuse them all, then it alone is dead, and the next night only it is sent', async () => {
  await using night = await openNight()
  const { door, platform, submit, bulkCalls } = night
  door.judge = ({ line, body }) =>
    line === BULK && body.includes('4120-BLUE') ? { status: 400, body: 'The body is not valid.' } : null
  const products = catalogue(200)
  const ended = await submit('products', 'night-1', products)
  expect(await ended()).toMatchObject({
    delivered: 199,
    dead: 1,
    failed: [{ line: 121, why: expect.stringMatching(/bulk-upsert answered 400 Bad Request/) }],
  })
  // In halves, and the bad one once more: a refusal that names no field is final only once others have got through.
  expect(bulkCalls()).toBeLessThanOrEqual(1 + 2 * 8 + 1)
  expect(await platform.products.byExtId('4119-BLUE')).toMatchObject({ price: '1299.5' })
  expect(await platform.products.byExtId('4120-BLUE')).toBeNull()

  door.passed.length = 0
  door.judge = () => null
  const again = await submit('products', 'night-2', products)
  expect(await again()).toMatchObject({ superseded: 199, delivered: 1, dead: 0 })
  const sent = door.passed.filter(({ line }) => line === BULK).map(({ body }) => JSON.parse(body))
  expect(sent).toMatchObject([[{ extId: '4120-BLUE' }]])

  const changed = await submit('products', 'day-3', [{ ...products[0], price: 999 }])
  expect(await changed()).toMatchObject({ delivered: 1 })
  expect(await platform.products.byExtId('4000-BLUE')).toMatchObject({ price: '999' })
})

test('When levels come faster than they go out, then the stock ends with the newest, in few calls', async () => {
  await using night = await openNight()
  const { door, platform, submit } = night
  const levels = (await platform.stock.levels({ stockIds: ['12'] })).rows.slice(0, 20)
  const ends = []
  for (let round = 1; round <= 5; round += 1) {
    const lines = levels.map(({ id: gtin }) => ({ stockId: 12, gtin, quantity: round }))
    ends.push(await submit('stock-adjustments', `round-${round}`, lines))
  }
  expect(await ends.at(-1)?.()).toMatchObject({ delivered: 20 })
  const now = (await platform.stock.levels({ stockIds: ['12'] })).rows
  for (const { id } of levels) expect(now.find((level) => level.id === id)).toMatchObject({ quantity: '5' })
  expect(door.passed.filter(({ line }) => line.includes('/api/Stock/adjust')).length).toBeLessThan(5)
})
