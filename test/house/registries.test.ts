import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { program } from '../../src/cli/program.ts'
import { JOB_NAMES, JOBS, type JobName } from '../../src/config/jobs.ts'
import { BOOKING_NAMES } from '../../src/domain/accounting/bookings.ts'
import { ALARM_RULES, type AlarmRule, SEVERITIES } from '../../src/domain/alarms/rules.ts'
import { MIRROR_SETS, type MirrorSet } from '../../src/domain/catalogue/mirror.ts'
import { OWN_KINDS } from '../../src/domain/queue/event.ts'
import { formatDuration } from '../../src/domain/values/instant.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { flows } from '../../src/flows/index.ts'
import { READ_SETS } from '../../src/http/read-models/sets.ts'
import { HUB_KINDS, KINDS, SUBMITTED_KINDS } from '../../src/platform/payloads/kinds.ts'
import { TAKES } from '../../src/ports/perform.ts'
import { expectPart } from '../checked-page.ts'
import { filesUnder, importsOf, ROOT } from './imports.ts'

function jobsPart(): string {
  return list(JOB_NAMES.map((name) => `${code(name)} ${code(JOBS[name].schedule)}: ${JOBS[name].about}`))
}

/** By severity, the worst first. */
function alarmsPart(): string {
  const bySeverity = Map.groupBy(ALARM_RULES, ({ severity }) => severity)
  const lineOf = ({ name, after, says }: AlarmRule) =>
    `${code(name)}${after === 0 ? '' : ` (after ${formatDuration(after)})`}: ${says}`
  const parts = SEVERITIES.toReversed().map((severity) => [
    `**${severity}**`,
    list((bySeverity.get(severity) ?? []).map(lineOf)),
  ])
  return parts.flat().join('\n\n')
}

/** Flows that a destination has in one queue, and may or may not repeat, a line each. */
function flowsPart(flows: readonly Flow[]): string {
  const groups = Map.groupBy(
    flows,
    ({ urgency, atMostOnce: once }) => `Queue \`${urgency}\`, ${once ? 'once only' : 'repeatable'}`,
  )
  const lineOf = ({ name, port, method, kinds }: Flow) =>
    `${name} ${method === undefined ? port : `${port}.${method}`} ${kinds === 'all' ? 'all' : kinds.join(', ')}`
  return [...groups].map(([title, those]) => [`${title}:`, '```', ...those.map(lineOf), '```'].join('\n')).join('\n\n')
}

function portsPart(): string {
  return list(
    Object.entries(TAKES).map(([port, methods]) => {
      const names = Object.entries<string>(methods).map(
        ([name, takes]) => `${code(name)}${takes === 'several' ? '*' : ''}`,
      )
      return `${code(port)}: ${names.join(', ')}`
    }),
  )
}

function commandsPart(program: Command): string {
  return list(leavesOf(program).map(({ words, command }) => `${code(words.join(' '))}: ${command.description()}`))
}

interface Leaf {
  words: string[]
  command: Command
}

/** The commands that do something, each with the words that call it. */
function leavesOf(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ words: [...words], command }]
  return command.commands.flatMap((inner) => leavesOf(inner, [...words, inner.name()]))
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

const PAGE = 'docs/reference.md'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const TESTS = globSync(['test/**/*.ts', 'packages/*/test/**/*.ts'], { cwd: ROOT, exclude: ['**/node_modules/**'] })
const tests = new Map(
  TESTS.filter((file) => file !== 'test/house/registries.test.ts').map((file) => [file, read(file)]),
)
const tested = [...tests.values()].join('\n')
const kinds = [...KINDS, ...SUBMITTED_KINDS, ...HUB_KINDS].map(({ name }) => name)

test('the kinds that the hub says itself are no webhooks', () => {
  expect([...OWN_KINDS]).toEqual(HUB_KINDS.map(({ name }) => name))
})

describe('jobs', () => {
  const files = new Map(
    filesUnder(join(ROOT, 'src/jobs')).flatMap((file) =>
      jobsIn(read(`src/jobs/${file}`)).map((name) => [name, file] as const),
    ),
  )

  test('when a job is in the table, then it is made, and every job that is made is in the table', () => {
    expect([...files.keys()].sort()).toEqual(JOB_NAMES.toSorted())
  })

  test('when a job is made, then a test makes it, or runs it by its name', () => {
    const imported = [...tests].flatMap(([file, source]) => importsOf(file, source).map(({ to }) => to))
    const isRun = (name: string) => new RegExp(`(?:run|job)\\w*\\W[^\\n]*['/]${name}['/]`, 'i').test(tested)
    const untested = [...files].filter(([name, file]) => !imported.includes(`src/jobs/${file}`) && !isRun(name))
    expect(untested.map(([name]) => name)).toEqual([])
  })

  test('when a job is made, then the page of reference says when it runs', () => {
    expectPart(PAGE, 'jobs', jobsPart())
  })

  test('when the page of pulls says when a job runs, then it runs then', () => {
    const rows = [...read('docs/pulls.md').matchAll(/^\| `([\w-]+)` \| `([^`]+)` \|/gm)]
    expect(rows.length).toBeGreaterThan(4)
    for (const [, name = '', when] of rows) expect(JOBS[name as JobName].schedule, name).toBe(when)
  })
})

test('When there is an alarm, then its page has it', () => {
  expectPart('docs/alarms.md', 'alarms', alarmsPart())
})

describe('flows', () => {
  test('when a flow is made, then its kinds are kinds that there are, and its method is one of its port', () => {
    for (const { name, kinds: wanted, port, method } of flows) {
      if (wanted !== 'all') expect(kinds, name).toEqual(expect.arrayContaining([...wanted]))
      expect(TAKES, name).toHaveProperty(port)
      if (method !== undefined) expect(TAKES[port], name).toHaveProperty(method)
    }
  })

  test('when two flows are made, then they have two names: deliveries are known by them', () => {
    const names = flows.map(({ name }) => name)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  test('when a flow is made, then a test speaks of it, of its method, or of what it alone acts on', () => {
    const users = Map.groupBy(
      flows.flatMap(({ name, kinds: wanted }) => (wanted === 'all' ? [] : wanted.map((kind) => ({ kind, name })))),
      ({ kind }) => kind,
    )
    const untested = flows.filter(({ name, method, message, kinds: wanted }) => {
      const own = wanted === 'all' ? [] : wanted.filter((kind) => users.get(kind)?.length === 1)
      const words = [name, camelCase(name), ...(method ? [method] : []), ...(message ? [message] : []), ...own]
      return !words.some(isNamed)
    })
    expect(untested.map(({ name }) => name)).toEqual([])
  })

  test('when a flow is made, then the page of reference has it', () => {
    expectPart(PAGE, 'flows', flowsPart(flows))
  })
})

test('kinds: when there is a kind, then something becomes of it, and a test speaks of it', () => {
  const wanted = new Set(flows.flatMap((flow) => (flow.kinds === 'all' ? [] : flow.kinds)))
  expect(kinds.filter((kind) => !wanted.has(kind))).toEqual([])
  expect(kinds.filter((kind) => !isNamed(kind))).toEqual([])
})

describe('ports', () => {
  test('when the back office has a method, then it is one of the list of bookings', () => {
    expect(Object.keys(TAKES.backOffice).sort()).toEqual(BOOKING_NAMES.toSorted())
  })

  test('when a port has a method, then the page of reference says what it takes', () => {
    expectPart(PAGE, 'ports', portsPart())
  })

  test('when there is a port, then who writes an adapter is told of it, or it is one of the hub’s own', () => {
    const page = read('docs/adapters/write-your-own.md')
    const ownOfTheHub = ['platform', 'mirror']
    for (const port of Object.keys(TAKES)) expect(page.includes(`\`${port}\``), port).toBe(!ownOfTheHub.includes(port))
  })
})

describe('sets of the mirror', () => {
  /** Sets that tests know by what writes or shows them. */
  const SHOWN_AS: Partial<Record<MirrorSet, string>> = { 'retail-lists': 'retailLists', 'dated-prices': 'keepDated' }

  test('when the mirror keeps a set, then a page says so, and a test reads or writes it', () => {
    const pages = `${read('docs/mirror.md')}${read('docs/master-data.md')}`
    for (const set of MIRROR_SETS) {
      expect(pages.includes(`\`${set}\``), set).toBe(true)
      expect(isNamed(SHOWN_AS[set] ?? set), set).toBe(true)
    }
  })

  test('when own systems can read a set, then its page has how it gets there', () => {
    const page = read('docs/mirror.md')
    const [reported = ''] = /^## Where it comes from$[\s\S]*?(?=^## )/m.exec(page) ?? []
    expect(rowsOf(reported).sort()).toEqual(READ_SETS.map(({ name }) => name).sort())
  })
})

describe('commands', () => {
  const leaves = leavesOf(program)

  test('when there is a command, then the page of reference has it', () => {
    expectPart(PAGE, 'commands', commandsPart(program))
  })

  test('when there is a command, then a test calls it, or asks the hub what it asks', () => {
    const lines = tested.split('\n')
    const untested = leaves.filter(({ words }) => {
      const [first = '', second] = words
      // A command that is called by its family's name alone.
      if (second === 'list' && isNamed(first)) return false
      const call = new RegExp(words.map((word) => `\\b${word}\\b`).join('.*'), 'i')
      return !lines.some((line) => call.test(line))
    })
    expect(untested.map(({ words }) => words.join(' '))).toEqual([])
  })
})

test('When the page of reference is read, then it is linked from the README', () => {
  expect(read('README.md').includes(`](${PAGE})`)).toBe(true)
})

/** Whether a test names it, as a word of its own. */
function isNamed(word: string): boolean {
  return new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(tested)
}

/** The name of the job that a file makes; null: it makes none. */
function jobsIn(source: string): string[] {
  if (!/^export function \w+Job\(/m.test(source)) return []
  return [...source.matchAll(/^ {4}name: (?:'([\w-]+)'|(\w+)),$/gm)].flatMap(
    ([, literal, constant]) =>
      literal ?? new RegExp(`^(?:export )?const ${constant} = '([\\w-]+)'`, 'm').exec(source)?.[1] ?? [],
  )
}

function rowsOf(text: string): string[] {
  return [...text.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name = '']) => name)
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
