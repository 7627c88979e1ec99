import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { writtenConfig } from '../../hub/written.ts'
import { migratedSchema, NO_SERVER, rowsOf, SERVER, temporarySchema } from '../../store/postgres/schema.ts'
import { tillbridge } from '../run.ts'
import { openDay, rehearse, TODAY } from './kit.ts'

/* A recorded day, played to a second hub with faults: which promises held, and that nobody outside heard of it. */

test('When the hub is killed in the middle, and webhooks come twice and in disorder, then promises hold all the same', async () => {
  await using day = await openDay()
  const faults = ['kill', 'double', 'reorder'].flatMap((fault) => ['--fault', fault])

  const { code, result, said } = await rehearse(day.config, '--speed', '0.5', '--latency', '20ms', ...faults)

  expect(result.promises.filter(({ kept }) => !kept)).toEqual([])
  expect(code).toBe(0)
  // The kill was felt: what came meanwhile was refused, and sent again.
  expect(said('on disk')?.says).toMatch(/40 webhooks sent \([1-9]\d* times refused for the moment, and sent again\)/)
  expect(said('once')?.says).toMatch(/4\d copies sent; 0 taken as another event$/)
})

test('When one destination is away and another slow, then each is behind by that, and what it was owed is delivered', async () => {
  await using day = await openDay()
  const faults = ['--fault', 'down:bus', '--fault', 'slow:erp', '--latency', 'erp:30ms', '--latency', 'bus:10ms']

  const { code, result } = await rehearse(day.config, '--speed', '0.5', ...faults)

  expect(result.promises.filter(({ kept }) => !kept)).toEqual([])
  expect(code).toBe(0)
  const [bus, erp] = result.headroom
  expect(erp).toMatchObject({ destination: 'erp', effects: 8, ms: 30, longest: 300 })
  // Whoever is away is tried again after five seconds.
  expect(bus).toMatchObject({ destination: 'bus', effects: 40, longest: 10 })
  expect(bus?.behind).toBeGreaterThan(3_000)
})

test('When the store has no such day, then a made one is played, in the shape of what was recorded', async () => {
  await using day = await openDay()

  const { code, result } = await rehearse(day.config, '--made', 'stores=3,sales=40', '--speed', '10000')

  expect(code).toBe(0)
  expect(result).toMatchObject({ webhooks: 102 })
  expect(result).toMatchObject({
    what: 'A made day of 40 sales in 3 stores, in the shape of what was recorded (SaleCreated, StockMovementCreated, OmniChannelOrderUpdated)',
  })
  expect(result.headroom).toMatchObject([
    { destination: 'bus', effects: 102 },
    { destination: 'erp', effects: 40 },
  ])
})

test('When a hub has never run, then a day can be made for it all the same', async () => {
  await using config = await writtenConfig()

  const { code, result } = await rehearse(config, '--made', 'stores=2,sales=10', '--speed', '10000')

  expect(code).toBe(0)
  expect(result).toMatchObject({ webhooks: 26, headroom: [] })
  expect(result).toMatchObject({ what: 'A made day of 10 sales in 2 stores, in the shape of built-in examples' })
  expect(await readdir(config.folder)).toEqual(['tillbridge.yaml'])
})

describe.skipIf(SERVER === undefined)(`on PostgreSQL${SERVER === undefined ? `: ${NO_SERVER}` : ''}`, () => {
  test('When hubs work on a schema, then a day of it is rehearsed on another schema, and no row of the first is changed', async () => {
    await using live = await migratedSchema()
    await using other = await temporarySchema()
    await using day = await openDay(live.url)
    const before = await rowsOf(live.name)

    const { code, result } = await rehearse(day.config, '--speed', '100', '--store', other.url, '--fault', 'double')

    expect(result.promises.filter(({ kept }) => !kept)).toEqual([])
    expect(code).toBe(0)
    expect(result.webhooks).toBe(40)
    expect(await rowsOf(live.name)).toBe(before)
    expect(day.sink.received).toHaveLength(40)

    const again = await tillbridge(['rehearse', '--day', TODAY, '--store', other.url], day.config.env)
    expect(again.err).toContain('--store: it is there already.')
    const own = await tillbridge(['rehearse', '--day', TODAY, '--store', live.url], day.config.env)
    expect(own.err).toContain('--store: that is the store of the hub itself.')
  })
})
