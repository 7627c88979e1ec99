import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import type { EndpointOverrides } from '../../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../../src/platform/http/endpoints.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { answerReadOf, createPlatform } from '../../../src/platform/platform.ts'
import {
  asItIs,
  broken,
  type ChangedAnswers,
  elsewhere,
  nameElsewhere,
  nulls,
  offsets,
  startChangedAnswers,
  texts,
} from './changed-answers.ts'
import { type Prepared, READINGS, type Reading, WRITINGS } from './dialect-methods.ts'

/*
 * Each method of the client, in each dialect, with each way of writing that a platform may have: what must come out. A document
 * that does not show an operation leaves it a guess: its 404 proves nothing.
 */

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

test('When the client has an operation, then it has a row here, or is a part of one', () => {
  // Counts belong to the searches.
  const rows = [...Object.keys(READINGS), ...Object.keys(WRITINGS), 'products.count', 'customers.count']
  expect(rows.sort()).toEqual(Object.keys(PRESETS.spec).sort())
})

describe.each([
  ['spec', 'spec', 'spec'],
  ['facts', 'spec', null],
  ['frontsystems-v2', 'frontsystems-v2', 'v2'],
] as const)('in the dialect %s', (dialect, preset, column) => {
  let sandbox: SandboxPlatform
  let between: ChangedAnswers
  let platform: Platform
  let prepared: Prepared

  beforeAll(async () => {
    sandbox = await startPlatform({ ...KEYS, dialect, seedCatalogue: false })
    between = await startChangedAnswers(sandbox.url)
    const base = sandbox.apiUrl.slice(sandbox.url.length)
    platform = createPlatform({ preset, baseUrl: between.url + base, ...KEYS })
    prepared = await prepare(platform, sandbox)
  })

  beforeEach(() => {
    between.change = asItIs
  })

  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await between[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  const entries = Object.entries(READINGS)
  const isAbsent = ([, reading]: Row) => column !== null && reading[column] === 'absent'
  const there = entries.filter((row) => !isAbsent(row))
  const read = async ({ call }: Reading) => withoutRecords(await call(platform, prepared))

  test.each(entries.filter(isAbsent))(
    'When %s is not shown, then it is missing, and that proves nothing',
    async (name, reading) => {
      if (reading.absent === 'none') expect((await read(reading)) ?? []).toEqual([])
      else await expect(read(reading)).rejects.toMatchObject({ code: 'http-404' })
      expect(await platform.operations.isProven(name as OperationName)).toBe(false)
    },
  )

  test.each(there)('When every field of %s that may be null is, then the rows are the same', async (_, reading) => {
    const full = namesOf(reading, await read(reading))
    expect(full).not.toEqual([])
    between.change = nulls
    expect(namesOf(reading, await read(reading))).toEqual(full)
  })

  test.each(there)('When the numbers of %s are text, then everything is the same', async (_, reading) => {
    const full = await read(reading)
    between.change = texts
    expect(await read(reading)).toEqual(full)
  })

  test.each(there)('When the times of %s have an offset, then the rows are the same', async (_, reading) => {
    const full = namesOf(reading, await read(reading))
    between.change = offsets
    expect(namesOf(reading, await read(reading))).toEqual(full)
  })

  test.each(there.filter(([, reading]) => reading.broken !== '-'))(
    'When one row of %s is broken, then it is known what is told',
    async (_, reading) => {
      const full = namesOf(reading, await read(reading))
      between.change = broken
      if (reading.broken === 'survives')
        expect(namesOf(reading, await read(reading))).toEqual(expect.arrayContaining(full))
      else await expect(read(reading)).rejects.toMatchObject({ code: 'unexpected-answer' })
    },
  )

  describe('what is written', () => {
    test.each(Object.entries(WRITINGS))('%s', async (operation, { call, ...shown }) => {
      const expected = column === null ? 'any' : shown[column]
      const written = () => call(platform, prepared)
      if (expected === 'absent') {
        await expect(written()).rejects.toThrow('404')
        expect(await platform.operations.isProven(operation as OperationName)).toBe(false)
        return
      }
      // An id may come as text.
      between.change = texts
      const answer = await written()
      if (expected === 'silent') expect(answer ?? null).toBeNull()
      if (expected === 'id')
        expect(answer).toEqual(Array.isArray(answer) ? ['created'] : expect.stringMatching(/^\d+$/))
    })
  })
})

describe('a platform whose answers have other shapes and names', () => {
  let sandbox: SandboxPlatform
  let between: ChangedAnswers
  let plain: Platform
  let mapped: Platform
  let prepared: Prepared

  beforeAll(async () => {
    sandbox = await startPlatform({ ...KEYS, seedCatalogue: false })
    between = await startChangedAnswers(sandbox.url)
    plain = createPlatform({ preset: 'spec', baseUrl: between.url, ...KEYS })
    mapped = createPlatform({ preset: 'spec', baseUrl: between.url, ...KEYS, endpoints: elsewhereConfig() })
    prepared = await prepare(plain, sandbox)
  })

  afterAll(async () => {
    await plain[Symbol.asyncDispose]()
    await mapped[Symbol.asyncDispose]()
    await between[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  test.each(Object.entries(READINGS))('%s is read as if it had the documented ones', async (name, { call }) => {
    between.change = asItIs
    const documented = withoutRecords(await call(plain, prepared))
    between.change = elsewhere(shapeElsewhere(name as OperationName))
    expect(withoutRecords(await call(mapped, prepared))).toEqual(documented)
    const reported = await call(plain, prepared).catch((error: Error) => error.message)
    expect(withoutRecords(reported)).not.toEqual(documented)
  })
})

/** Odata is asked for columns by their names, and a schema or a map of stocks has no fields of its own. */
function shapeElsewhere(name: OperationName) {
  const read = answerReadOf(name)
  const names = PRESETS.spec[name].base === 'rest' && read?.fields.length !== 0 && name !== 'stocks.list'
  return { isList: read?.isList === true && name !== 'stocks.list', names }
}

function elsewhereConfig(): EndpointOverrides {
  const operations = Object.keys(PRESETS.spec) as OperationName[]
  return Object.fromEntries(
    operations.flatMap((name) => {
      const read = answerReadOf(name)
      if (read === null) return []
      const { isList, names } = shapeElsewhere(name)
      const fields = read.fields.map((field) => [field, nameElsewhere(field.split('.').at(-1) ?? '')])
      const said = {
        record: 'found',
        ...(isList && { list: 'data.rows' }),
        ...(names && { fields: Object.fromEntries(fields) }),
      }
      return [[name, said]]
    }),
  )
}

type Row = [name: string, Reading]

function namesOf({ names }: Reading, found: unknown) {
  return names(found as never)
}

async function prepare(platform: Platform, sandbox: SandboxPlatform): Promise<Prepared> {
  await platform.webhooks.create({ event: 'StockMovementCreated', url: 'http://127.0.0.1:9/' })
  const gtin = '7090012340011'
  sandbox.actions.sell({ store: '101', sku: 'TEE-BLK-M' })
  sandbox.actions.announceDelivery({ stock: '101', sku: 'TEE-BLK-M', quantity: 3 })
  sandbox.actions.placeOrder({ store: '101', sku: 'TEE-BLK-M', orderNo: 'W-1' })
  const [settled] = sandbox.closeDay('101')
  await sandbox.settled()
  const customerId = await platform.customers.obtain({ extId: 'C-1', firstName: 'Liv', email: 'liv@example.com' })
  const product = { extId: 'Prepared', name: 'Cap', brand: 'B', groupName: 'Caps', season: 'AW26', color: 'Red' }
  const sizes = [
    { gtin: '7000000000059', label: 'S' },
    { gtin: '7000000000066', label: 'M' },
    { gtin: '7000000000073', label: 'L' },
  ]
  await platform.products.save({ ...product, productSizes: sizes })
  const saved = await platform.products.byGtin('7000000000059').catch(() => null)
  const prices = [{ gtin, price: '79.90', validTo: '2030-12-24' }]
  await platform.prices.saveList({ name: 'Prepared', prices })
  const list = (await platform.prices.lists().catch(() => ({ rows: [] }))).rows.find(({ name }) => name === 'Prepared')
  sandbox.actions.countStock({ stock: '101', sku: 'TEE-BLK-M', quantity: 9 })
  const { ids } = sandbox.actions.reserveStock({ stock: '101', sku: 'TEE-BLK-M' }) as { ids: string[] }
  const [subscription] = sandbox.subscriptions()
  const [event] = sandbox.events()
  return {
    gtin,
    webhookId: subscription?.id ?? '',
    webhookEventId: event?.webhookEventId ?? '',
    day: settled?.SettlementTimeStamp.slice(0, 10) ?? '',
    customerId,
    productId: saved?.productId ?? '1',
    listId: list?.id ?? '1',
    reservationId: ids[0] ?? '',
  }
}

/** What the platform wrote is kept as it came: that differs. */
function withoutRecords(found: unknown): unknown {
  return JSON.parse(
    JSON.stringify(found ?? null, (key, value) => (key === 'record' || key === 'payload' ? undefined : value)),
  )
}
