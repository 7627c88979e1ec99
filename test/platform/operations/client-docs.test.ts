import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import * as errors from '../../../src/domain/values/errors.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const page = readFileSync(new URL('../../../docs/platform-client.md', import.meta.url), 'utf8')
const [imports = '', ...examples] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

// biome-ignore lint/complexity/useArrowFunction: an arrow function has another constructor.
const AsyncFunction = async function () {}.constructor as new (
  ...names: string[]
) => (...values: unknown[]) => Promise<void>

describe('docs/platform-client.md', () => {
  let sandbox: SandboxPlatform
  let platform: Platform
  /** What the examples take for given. */
  let given: Record<string, unknown>

  beforeAll(async () => {
    sandbox = await startPlatform(KEYS)
    platform = createPlatform({ preset: 'spec', baseUrl: sandbox.url, ...KEYS })
    const [{ id: gtin = '' } = {}] = (await platform.stock.levels({ stockIds: ['12'] })).rows
    const named = { name: 'Belt', brand: 'N', groupName: 'Belts', season: 'BASIC', color: 'Red' }
    await platform.prices.saveList({ name: 'Autumn', prices: [{ gtin, price: '999' }] })
    await platform.products.save({ ...named, extId: 'J-0999-RED', createProductSpecificSize: true, productSizes: [] })
    const customerId = await platform.customers.obtain({ extId: 'C-20417' })
    const everyProduct = [{ ...named, extId: 'B-1' }]
    given = { platform, createPlatform, ...errors, baseUrl: sandbox.url, ...KEYS, gtin, customerId, everyProduct }
  })

  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  test.each(examples)('the example works as it is shown: %s', async (code) => {
    const said: string[] = []
    const log = (...words: unknown[]) => void said.push(words.map(textOf).join(' '))
    // What an example declares itself is not given to it.
    const names = Object.keys(given).filter((name) => !new RegExp(`\\b(const|using) ${name}\\b`).test(code))
    await new AsyncFunction('log', ...names, code)(log, ...names.map((name) => given[name]))
    for (const [, expected = ''] of code.matchAll(/log\(.*\) \/\/ (.*)$/gm)) expect(said).toContain(expected)
  })

  test('the page begins with the imports that its examples need', () => {
    expect(imports).toContain("import { createPlatform } from './src/platform/platform.ts'")
    expect(examples.length).toBeGreaterThan(10)
  })

  test('there is an example of each area of the client', () => {
    const areas = Object.keys(platform).filter((name) => name !== 'toString')
    for (const area of areas) expect(examples.join(), area).toContain(`platform.${area}.`)
  })
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
