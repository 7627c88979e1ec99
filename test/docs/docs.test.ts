import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { builtInAdapters } from '../../src/adapters/index.ts'
import { configJsonSchema } from '../../src/config/schema.ts'
import { KINDS } from '../../src/platform/payloads/kinds.ts'
import { expectPart } from '../checked-page.ts'
import { kindsPage } from './evidence-page.ts'
import { guessedOperations, isOperation, operationsIn, operationsPart } from './unknowns-page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')
const readme = read('README.md')

describe('the README', () => {
  test('can be read at one sitting', () => {
    expect(readme.split('\n').length).toBeLessThan(200)
  })

  test('names only scripts and files that exist', () => {
    expectScriptsAndFiles(readme)
    expectScriptsAndFiles(read('CONTRIBUTING.md'))
  })
})

describe('the pages that the README leads to', () => {
  test('name each section of the config, and lead to the very example that an operator copies', () => {
    const page = read('docs/config.md')
    expect(page).toContain('](../config/example.yaml)')
    const schema = JSON.parse(read('config/tillbridge.schema.json')) as { properties: object }
    expect(Object.keys(schema.properties).filter((section) => !page.includes(`\`${section}\``))).toEqual([])
  })

  test('have the 27 kinds as the program knows them', () => {
    const page = read('docs/kinds.md')
    const from = { spec: 'spec', public: 'public facts', none: 'not known', hub: 'own systems' }
    for (const { number, name, nature, identityText, knownFrom } of KINDS) {
      const known = nature === 'unknown' ? 'not known' : nature
      const cells = page
        .split('\n')
        .find((line) => line.startsWith(`| ${number ?? '–'} | ${name} |`))
        ?.split(' | ')
      expect([cells?.[2], cells?.[3], cells?.[5]]).toEqual([known, identityText, from[knownFrom]])
    }
  })

  test('are all in the index, and the index has no other', () => {
    const index = read('docs/README.md')
    const pages = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.md') && path !== 'README.md')
    expect(pages.filter((path) => !index.includes(`](${path})`))).toEqual([])
  })
})

describe('the documents', () => {
  test('link only to files that exist', () => {
    for (const path of readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    ))
      for (const [, target = ''] of read(`docs/${path}`).matchAll(/\]\((?!https?:)([^)#]+)\)/g))
        expect(existsSync(new URL(target, new URL(`docs/${path}`, `file://${root}`))), `${path}: ${target}`).toBe(true)
  })

  test('say of each kind what the hub reads, and where that is known from', () => {
    expectPart('docs/evidence.md', 'kinds', kindsPage())
  })

  test('say of each operation what is shown and what is a guess, and what is done about each guess', () => {
    expectPart('docs/platform-unknowns.md', 'operations', operationsPart())
    const prose = read('docs/platform-unknowns.md').replace(/<!-- operations -->.*<!-- \/operations -->/s, '')
    const spoken = operationsIn(prose)
    expect(spoken.filter((name) => !isOperation(name))).toEqual([])
    expect(guessedOperations().filter((name) => !spoken.includes(name))).toEqual([])
  })

  test('name only commands that the command line has', () => {
    const help = execFileSync(process.execPath, [`${root}src/cli/tillbridge.ts`, '--help'], { encoding: 'utf8' })
    const commands = [...help.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name)
    const reported = `${readme}${read('docs/commands.md')}${read('docs/when-it-goes-wrong.md')}`
    for (const [, command = ''] of reported.matchAll(/tillbridge -- ([\w-]+)/g)) expect(commands).toContain(command)
    for (const [, command = ''] of reported.matchAll(/`tillbridge ([\w-]+)/g)) expect(commands).toContain(command)
  })

  test("have the config's JSON Schema as it is today", async () => {
    expect(JSON.parse(read('config/tillbridge.schema.json'))).toEqual(configJsonSchema(await builtInAdapters()))
  })
})

function expectScriptsAndFiles(page: string): void {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const [, script = ''] of page.matchAll(/npm run ([\w:-]+)/g)) expect(scripts, script).toHaveProperty(script)
  for (const [, path = ''] of page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g))
    expect(existsSync(`${root}${path}`), path).toBe(true)
  for (const [, path = ''] of page.matchAll(/`((?:src|test|docs|config)\/[\w./-]+)`/g))
    expect(
      existsSync(`${root}${path}`) || path === 'config/tillbridge.yaml' || path.includes('schema.json'),
      path,
    ).toBe(true)
}
