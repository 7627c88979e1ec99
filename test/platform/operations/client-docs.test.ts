import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SandboxPlatform, startPlatform } from '../../../sandbox/platform/platform.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { EXAMPLES } from './client-examples.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const source = readFileSync(new URL('client-examples.ts', import.meta.url), 'utf8')
const page = readFileSync(new URL('../../../docs/platform-client.md', import.meta.url), 'utf8')
const shown = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

describe('docs/platform-client.md', () => {
  let sandbox: SandboxPlatform
  let platform: Platform

  beforeAll(async () => {
    sandbox = await startPlatform(KEYS)
    platform = createPlatform({ preset: 'spec', baseUrl: sandbox.url, ...KEYS })
  })

  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await sandbox[Symbol.asyncDispose]()
  })

  test.each(Object.keys(EXAMPLES))('When the example %s is tried, then it works as it is shown', async (name) => {
    const code = codeOf(name)
    expect(shown).toContain(code)
    const said: string[] = []
    const [{ id: gtin = '' } = {}] = (await platform.stock.levels({ stockIds: ['12'] })).rows
    const log = (...words: unknown[]) => void said.push(words.map(textOf).join(' '))
    await EXAMPLES[name]?.(platform, { baseUrl: sandbox.url, ...KEYS, gtin, log })
    for (const [, expected = ''] of code.matchAll(/log\(.*\) \/\/ (.*)$/gm)) expect(said).toContain(expected)
  })

  test('When code is shown, then it is one of the examples, or the import that they need', () => {
    const known = Object.keys(EXAMPLES).map(codeOf)
    const imports = shown.filter((code) => !known.includes(code))
    expect(imports).toHaveLength(1)
    for (const line of (imports[0] ?? '').trim().split('\n')) {
      const inTests = line.replace("'./src/", "'../../../src/")
      expect(source, line).toContain(inTests)
    }
  })

  test('When the client has an area, then there is an example of it', () => {
    const areas = Object.keys(platform).filter((name) => name !== 'toString')
    for (const area of areas) expect(source, area).toMatch(new RegExp(`platform\\.${area}\\.`))
  })
})

/** What stands between the two marks of an example, moved to the left. */
function codeOf(name: string): string {
  const inner = new RegExp(`^ *// <${name}>\\n(.*?)^ *// </${name}>$`, 'ms').exec(source)?.[1] ?? ''
  return inner.replace(/^ {4}/gm, '')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
