import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sale } from '../../fixtures/payloads.ts'
import { startWritten, type WrittenConfig, writtenConfig } from '../../hub/written.ts'
import { tillbridge } from '../run.ts'
import { openDay, post, rehearse, TODAY } from './kit.ts'

/* A recorded day, played to a second hub: which promises held, and that nobody outside heard of it. */

describe('a day that was recorded', () => {
  let day: Awaited<ReturnType<typeof openDay>>

  // A rehearsal leaves it as it was.
  beforeAll(async () => {
    day = await openDay()
  })
  afterAll(() => day[Symbol.asyncDispose]())

  test('When a recorded day is rehearsed, then every promise holds, the store is as it was, and nobody outside hears of it', async () => {
    const { config, sink, platform } = day
    const file = join(config.folder, 'hub.db')
    const before = await readFile(file)
    const files = await readdir(join(config.folder, 'erp'))

    const { code, result, said } = await rehearse(config, '--speed', '5', '--latency', '5ms')

    expect(code).toBe(0)
    expect(result).toMatchObject({ webhooks: 40, notPlayed: { others: 0, gone: 0 }, speed: 5 })
    expect(said('on disk')).toMatchObject({ kept: true })
    expect(sink.received).toHaveLength(40)
    expect(platform.connections()).toBe(0)
    expect(await readdir(join(config.folder, 'erp'))).toEqual(files)
    expect((await readFile(file)).equals(before)).toBe(true)
    expect((await readdir(config.folder)).filter((name) => name.startsWith('tillbridge-rehearsal'))).toEqual([])
  })

  test('When a promise is broken, then it is named for people, and the end is 1', async () => {
    const { code, out } = await tillbridge(
      ['rehearse', '--day', TODAY, '--in', day.config.folder, '--within', '1ms', '--speed', '100'],
      day.config.env,
    )

    expect(code).toBe(1)
    expect(out).toContain(`${TODAY}, as it was recorded: 40 webhooks at 100 times the speed`)
    expect(out).toMatch(/^BROKEN {2}webhooks are answered in 1 ms \(p99\): half in \d+ ms/m)
    expect(out).toMatch(/^kept {4}taken means on disk: 40 webhooks sent; 0 never taken, 0 taken and not in the store$/m)
    expect(out).toMatch(/^The first to be short is (bus|erp): it would carry \d+(\.\d)? times this day\.$/m)
    expect(out).toContain(
      '1 of 6 promises were broken. Destinations were shadows, and nobody was asked or told anything.',
    )
  })
})

describe('what is typed', () => {
  let config: WrittenConfig
  let hub: Awaited<ReturnType<typeof startWritten>>

  beforeAll(async () => {
    config = await writtenConfig()
    hub = await startWritten(config.env)
    await post(hub.url, 'SaleCreated', sale())
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await config[Symbol.asyncDispose]()
  })

  test.each([
    [[], 'Name either a recorded day'],
    [['--day', '2026-11-20', '--made', 'stores=1,sales=1'], 'Name either a recorded day'],
    [['--day', '2001-01-01'], 'The store has no webhooks of 2001-01-01'],
    [['--day', 'monday'], 'It is a day, such as 2026-11-27.'],
    [['--made', 'stores=1'], 'It is such as stores=20,sales=5000'],
    [['--day', TODAY, '--fault', 'flood'], '--fault flood: it is one of kill'],
    [['--day', TODAY, '--latency', 'shop:1s'], '--latency shop:1s: config has no destination shop; it has none.'],
    [['--day', TODAY, '--in', '/no/such/folder'], '--in: nothing can be made there'],
    [['--day', TODAY, '--speed', '0'], 'It is a number above 0'],
  ])('When %j is typed, then it says what would be right', async (args, says) => {
    const { code, err } = await tillbridge(['rehearse', ...args], config.env)

    expect(err).toContain(says)
    expect(code).toBe(2)
  })
})
