import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { availableAdapters } from '../../src/adapters/index.ts'
import { configJsonSchema } from '../../src/config/schema.ts'
import { ROUTES } from '../../src/console/routes.ts'
import { ROLES } from '../../src/domain/role.ts'
import type { Endpoint, Provenance } from '../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../src/platform/http/endpoints.ts'
import { KINDS } from '../../src/platform/payloads/kinds.ts'
import { SHAPES } from '../../src/platform/payloads/known/kinds.ts'
import type { Shape } from '../../src/platform/payloads/read-field.ts'
import { expectPart } from '../checked-page.ts'

interface Section {
  kinds: readonly string[]
  shape: Shape
  /** Lines of the list: what is needed how, and the fields. */
  lines: (readonly [need: string, fields: readonly string[]])[]
}

/** What docs/evidence.md says of the kinds, as the program knows them. */
function kindsPage(): string {
  const byShape = Map.groupBy([...SHAPES], ([, shape]) => shape)
  const all = [...byShape].map(([shape, kinds]) => sectionOf(kinds.map(([kind]) => kind).sort(), shape))
  const sections = all.toSorted((one, other) => Number(isGuessed(one)) - Number(isGuessed(other)))
  return sections.map((one, index) => textOf(one, baseOf(one, sections.slice(0, index)))).join('\n')
}

/** Routes of the console by the roles that have them. */
function rolesPart(): string {
  const byRoles = Map.groupBy(ROUTES, ({ roles }) => (roles.length === ROLES.length ? 'everybody' : roles.join(', ')))
  const lines = [...byRoles].map(([roles, routes]) => {
    const those = routes.map(({ method, path, what }) => `${what} (\`${method === 'GET' ? '' : 'POST '}${path}\`)`)
    return `- **${roles}**: ${those.join(' · ')}`
  })
  return lines.join('\n')
}

function sectionOf(kinds: readonly string[], shape: Shape): Section {
  const { fields, essentials, ifThere = [] } = shape
  const spoken = [...essentials.flat(), ...ifThere]
  const lines = [
    ['Needed', essentials.filter(({ length }) => length === 1).flat()] as const,
    ...essentials.filter(({ length }) => length > 1).map((group) => ['One of', group] as const),
    ['If there', ifThere] as const,
    ['Optional', Object.keys(fields).filter((name) => !spoken.includes(name))] as const,
  ]
  return { kinds, shape, lines: lines.map(([need, names]) => [need, names.map((name) => fieldText(shape, name))]) }
}

/** The earlier section of which the fewest fields differ, if most are the same. */
function baseOf(section: Section, earlier: readonly Section[]): Section | undefined {
  const count = ({ lines }: Pick<Section, 'lines'>) => lines.flatMap(([, fields]) => fields).length
  const different = (base: Section) => count({ lines: differences(section, base) }) + missing(section, base).length
  const [best] = earlier.toSorted((one, other) => different(one) - different(other))
  return best && different(best) * 2 < count(section) ? best : undefined
}

function differences(section: Section, base: Section): Section['lines'] {
  // Of a section that is one guess, the mark says nothing new.
  const unmarked = (field: string) => (isGuessed(section) ? field.replace(/\?$/, '') : field)
  return section.lines.flatMap(([need, fields]): Section['lines'] => {
    const there = base.lines.filter(([one]) => one === need).map(([, given]) => given.map(unmarked))
    if (need === 'One of')
      return there.some((group) => group.join() === fields.map(unmarked).join()) ? [] : [[need, fields]]
    return [[need, fields.filter((field) => !there.flat().includes(unmarked(field)))]]
  })
}

function missing({ shape }: Section, base: Section): string[] {
  return Object.keys(base.shape.fields).filter((name) => !(name in shape.fields))
}

function textOf(section: Section, base: Section | undefined): string {
  const { shownBy, misleading } = section.shape
  const named = (names: readonly string[]) => names.map((one) => `\`${one}\``).join(' and ')
  const lines = base ? differences(section, base) : section.lines
  const without = base ? missing(section, base) : []
  const like = base && [`As ${base.kinds.join(', ')}`, ...(isGuessed(section) ? ['each field a guess'] : [])]
  return [
    `### ${section.kinds.join(', ')}`,
    '',
    `Shown by: ${shownBy}.`,
    ...(misleading
      ? [`Held, unless config says where ${named(misleading.fields)} stands: ${misleading.because}.`]
      : []),
    ...(like ? [`${[...like, ...(without.length > 0 ? [`without ${named(without)}`] : [])].join(', ')}.`] : []),
    '',
    ...lines.filter(([, fields]) => fields.length > 0).map(([need, fields]) => `- ${need}: ${fields.join(', ')}`),
    ...(lines.some(([, fields]) => fields.length > 0) ? [''] : []),
  ].join('\n')
}

function isGuessed({ shape }: Section): boolean {
  return Object.values(shape.fields).every(({ from }) => from === 'guess')
}

function fieldText({ fields }: Shape, name: string): string {
  const { names = [], is, from, nearest } = fields[name] ?? {}
  const places = names.map((one) => `${one}${nearest?.includes(one) ? '°' : ''}`)
  const isItself = places.length === 1 && places[0] === name.split('.').at(-1)
  return `\`${name}${isItself ? '' : `=${places.join('|')}`}\`:${is}${from === 'guess' ? '?' : ''}`
}

const OPERATIONS = Object.keys(PRESETS.spec) as OperationName[]

/** The operations of docs/platform-unknowns.md, grouped by what the two documents show of them. */
function operationsPart(): string {
  const groups = Map.groupBy(OPERATIONS, (name) => {
    const [one, other] = [PRESETS.spec[name].known, PRESETS['frontsystems-v2'][name].known]
    return `the specification shows ${shown(one)}, the public API ${shown(other)}`
  })
  return [...groups].map(([title, names]) => [`${title}:`, '```', ...names.map(lineOf), '```'].join('\n')).join('\n\n')
}

/** Operations of which something is a guess in a preset: the page says what is done about each. */
function guessedOperations(): OperationName[] {
  return OPERATIONS.filter((name) =>
    Object.values(PRESETS).some(
      (preset) => preset[name].known.call === 'guess' || preset[name].known.answer === 'guess',
    ),
  )
}

/** Operations that a text speaks of (`orders.read`), whether there are such or not. */
function operationsIn(text: string): string[] {
  const areas = new Set(OPERATIONS.map((name) => name.split('.')[0]))
  const named = [...text.matchAll(/`(\w+)\.(\w+)`/g)].filter(([, area = '']) => areas.has(area))
  return named.map(([, area, verb]) => `${area}.${verb}`)
}

function isOperation(name: string): name is OperationName {
  return OPERATIONS.includes(name as OperationName)
}

function lineOf(name: OperationName): string {
  const [one, other] = [PRESETS.spec[name], PRESETS['frontsystems-v2'][name]]
  const line = one.known.line === null ? '' : ` L${one.known.line}`
  return `${name}${line} ${callOf(one)}${callOf(one) === callOf(other) ? '' : ` → ${callOf(other)}`}`
}

function callOf({ method, base, path, query }: Endpoint): string {
  const names = Object.values(query).map(({ name }) => name)
  return `${method} ${base === 'odata' ? '(odata) ' : ''}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`
}

function shown({ call, answer }: Provenance): string {
  if (call === 'guess') return 'nothing'
  return answer === 'guess' ? 'the call' : 'call and answer'
}

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
    for (const path of globSync(['docs/**/*.md', 'packages/*/README.md'], { cwd: root }))
      for (const [, target = ''] of read(path).matchAll(/\]\((?!https?:)([^)#]+)\)/g))
        expect(existsSync(new URL(target, new URL(path, `file://${root}`))), `${path}: ${target}`).toBe(true)
  })

  test('say of each kind what the hub reads, and where that is known from', () => {
    expectPart('docs/evidence.md', 'kinds', kindsPage())
  })

  test('say which role may see and do what at the console', () => {
    expectPart('docs/console.md', 'roles', rolesPart())
  })

  test('say of each operation what is shown and what is a guess, and what is done about each guess', () => {
    expectPart('docs/platform-unknowns.md', 'operations', operationsPart())
    const prose = read('docs/platform-unknowns.md').replace(/<!-- operations -->.*<!-- \/operations -->/s, '')
    const spoken = operationsIn(prose)
    expect(spoken.filter((name) => !isOperation(name))).toEqual([])
    expect(guessedOperations().filter((name) => !spoken.includes(name))).toEqual([])
  })

  test('name only commands that the command line has', () => {
    const help = execFileSync(process.execPath, [`${root}bin/tillbridge.mjs`, '--help'], { encoding: 'utf8' })
    const commands = [...help.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name)
    const reported = `${readme}${read('docs/commands.md')}${read('docs/when-it-goes-wrong.md')}`
    for (const [, command = ''] of reported.matchAll(/tillbridge -- ([\w-]+)/g)) expect(commands).toContain(command)
    for (const [, command = ''] of reported.matchAll(/`tillbridge ([\w-]+)/g)) expect(commands).toContain(command)
  })

  test("have the config's JSON Schema as it is today", async () => {
    expect(JSON.parse(read('config/tillbridge.schema.json'))).toEqual(
      configJsonSchema(await availableAdapters('config')),
    )
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
