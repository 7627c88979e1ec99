import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtInNames } from '../src/adapters/index.ts'
import * as api from '../src/adapters/public.ts'
import * as files from '../src/adapters/public-files.ts'
import * as messages from '../src/adapters/public-messages.ts'
import { filesUnder, type Import, importsOf, packagesOf, ROOT } from './house/imports.ts'
import { words } from './words.ts'

const APP = words(`
  config domain platform/payloads ports lib platform storage archive adapters flows ingest queue http jobs admin
  privacy console
`)

const LEVEL_4 = ['domain', 'platform/payloads', 'ports', 'lib', 'config', 'storage', 'platform', 'flows', 'ingest']

/** Pages about a system that an adapter of another name is for, an adapter of one's own, or all. */
const WORKED_EXAMPLES = ['README.md', 'home-made-oms.md', 'hubspot.md', 'twilio.md', 'write-your-own.md']

/** What packages may import of Tillbridge. */
const ENTRIES = ['tillbridge/adapter', 'tillbridge/adapter/files', 'tillbridge/adapter/messages']

const PROGRAM = 'app config platform adapters/index.ts storage archive import lib domain platform/payloads'.split(' ')

/**
 * Who may import whom, besides itself (design §4). A folder, a file of src, or one file of a folder. A folder of src that
 * is not in this table fails; so does one of the table that src does not have, but for those that are still to come.
 */
const TABLE: Record<string, readonly string[]> = {
  lib: [],
  domain: [],
  // The platform's JSON, read into what the domain speaks of: the only place with names of the wire besides the client.
  'platform/payloads': ['domain'],
  // What flows ask of outside systems, and what executes it.
  ports: ['domain'],
  platform: ['domain', 'platform/payloads', 'lib'],
  // Folders of this machine and of SFTP servers, worked in the same way; and what is kept in one before it goes.
  folders: ['domain', 'ports', 'lib'],
  // Files of master data, read into what /v1 takes: for folders that are watched, and for push.
  import: ['lib'],
  archive: ['domain', 'ports', 'folders', 'lib'],
  config: ['domain', 'platform/payloads', 'folders/sftp.ts', 'lib'],
  storage: ['domain', 'lib'],
  adapters: ['domain', 'ports', 'platform', 'folders', 'import', 'lib'],
  flows: ['domain', 'platform/payloads', 'ports'],
  ingest: ['domain', 'platform/payloads', 'flows', 'storage', 'lib'],
  http: LEVEL_4,
  jobs: [...LEVEL_4, 'archive'],
  queue: LEVEL_4,
  // Operators' questions and operations; data subjects are found, exported and erased in a room of its own.
  admin: [
    ...LEVEL_4,
    ...['privacy', 'archive', 'folders', 'adapters/shared/health-check.ts', 'adapters/adapter.ts'],
    // The same problems, and the same answer to a wrong token, as everywhere.
    ...['http/problem.ts', 'http/refusals.ts'],
  ],
  privacy: [...LEVEL_4, 'archive', 'folders', 'admin/context.ts'],
  // Pages: what the admin API answers and does, without HTTP.
  console: [...LEVEL_4, 'admin', 'privacy/report.ts', 'http/problem.ts', 'http/refusals.ts', 'http/server.ts'],
  // Proves an adapter as the hub would call it: by the flows' rules, and by what the worker does about a call in doubt.
  'adapter-kit': ['domain', 'platform/payloads', 'ports', 'flows', 'queue/call.ts', 'adapters/adapter.ts'],
  // What a hub is made of, put together: the order of construction.
  app: APP,
  // Besides what design §4 names: errors for people, the shapes that the admin answers in, the list of flows, to say what rests
  // on a guess, the operations that jobs live on, to say what is off without one, and the program it starts.
  cli: [
    ...PROGRAM,
    'adapters/shared/health-check.ts',
    // What an adapter is called, and what its ports can do.
    'adapters/packages.ts',
    'ports/perform.ts',
    'adapter-kit',
    'flows/index.ts',
    'admin/asked.ts',
    'admin/completeness.ts',
    'admin/context.ts',
    'admin/data-subjects.ts',
    'admin/deliveries.ts',
    'admin/events.ts',
    'admin/find.ts',
    'admin/health.ts',
    'admin/late.ts',
    'admin/operations.ts',
    'admin/orders.ts',
    'admin/platform.ts',
    'admin/products.ts',
    'admin/retention.ts',
    'admin/settlements.ts',
    'privacy/report.ts',
    'ingest/book-again.ts',
    'ingest/reroute.ts',
    'jobs/engine/job.ts',
    'main.ts',
    // Two commands are the sandbox's own.
    '../sandbox/main.ts',
    '../sandbox/demo/demo.ts',
  ],
  'main.ts': PROGRAM,
}

/** Folders of the design that are still to come. */
const LATER: string[] = []

describe('who imports whom', () => {
  const files = filesUnder(join(ROOT, 'src'))

  test('when src is read, then each import is one that the table allows', () => {
    const imports = files.flatMap((file) => importsOf(file, readFileSync(join(ROOT, 'src', file), 'utf8')))

    expect(imports.length).toBeGreaterThan(100)
    expect(violations(imports)).toEqual([])
  })

  test('when a folder or a file stands in src, then it stands in the table', () => {
    const there = new Set(files.map(locationOf))

    expect([...there].filter((place) => !(place in TABLE))).toEqual([])
    expect(Object.keys(TABLE).filter((place) => !there.has(place) && !LATER.includes(place))).toEqual([])
  })

  test('when the domain imports a package, then that is a library of values', () => {
    const values = ['big.js', 'libphonenumber-js', 'temporal-polyfill', 'windows-iana', 'zod', 'node:crypto']
    const domain = files.filter((file) => file.startsWith('domain/'))

    const used = domain.flatMap((file) => packagesOf(readFileSync(join(ROOT, 'src', file), 'utf8')))
    expect(used.filter((name) => !values.some((value) => name === value || name.startsWith(`${value}/`)))).toEqual([])
  })

  test.each([
    ['a sibling of level 4', 'admin/admin.ts', `import { createWebhooks } from '../http/webhooks.ts'`],
    ['a type only', 'admin/health.ts', `import type { Worker } from '../../queue/worker.ts'`],
    ['a type among values', 'domain/queue.ts', `import { a, type Storage } from '../storage/storage.ts'`],
    ['over several lines', 'lib/clock.ts', `import {\n  type Instant,\n  other,\n} from '../domain/instant.ts'`],
    ['for its effects', 'lib/clock.ts', `import '../domain/instant.ts'`],
    ['dynamic', 'config/load.ts', `const a = await import('../adapters/load.ts')`],
    ['in a type expression', 'domain/queue.ts', `type A = import('../storage/storage.ts').Storage`],
    ['passed on', 'flows/flow.ts', `export type { Storage } from '../storage/storage.ts'`],
    ['passed on whole', 'flows/flow.ts', `export * from '../storage/storage.ts'`],
    ['as a URL', 'domain/queue.ts', `new URL('../storage/sqlite/writer-thread.ts', import.meta.url)`],
    ['an adapter past its contract', 'queue/attempt.ts', `import http from '../adapters/http/http.ts'`],
    ['adapters among themselves', 'adapters/http/http.ts', `import smtp from '../smtp/smtp.ts'`],
    ['a store from an adapter', 'adapters/http/http.ts', `import type { Storage } from '../../storage/storage.ts'`],
    ['a flow from a flow’s adapter', 'flows/publish.ts', `import { load } from '../adapters/load.ts'`],
    ['test', 'lib/clock.ts', `import { createTestClock } from '../../test/clock.ts'`],
    ['the sandbox from the hub', 'app/hub.ts', `import { start } from '../../sandbox/sandbox.ts'`],
    ['the command line from the hub', 'app/hub.ts', `import { start } from '../cli/program.ts'`],
    ['the program', 'admin/admin.ts', `import '../main.ts'`],
    ['the hub from below', 'admin/admin.ts', `import { startHub } from '../app/hub.ts'`],
    ['a folder that nobody knows', 'admin/admin.ts', `import { help } from '../helpers/help.ts'`],
    ['from a folder that nobody knows', 'helpers/help.ts', `import { systemClock } from '../lib/clock.ts'`],
  ])('when an import is forbidden (%s), then it is found', (_, file, source) => {
    expect(violations(importsOf(file, source))).toHaveLength(1)
  })

  test.each([
    ['its own folder', 'storage/sqlite/storage.ts', `import { createQueues } from './queues.ts'`],
    ['below it', 'admin/admin.ts', `import type { Storage } from '../storage/storage.ts'`],
    ['an adapter’s contract', 'queue/attempt.ts', `import { perform } from '../ports/perform.ts'`],
    ['what adapters share', 'adapters/http/http.ts', `import { a } from '../shared/http-errors.ts'`],
    ['a package', 'domain/money.ts', `import Big from 'big.js'`],
    [
      'words about an import',
      'lib/clock.ts',
      `// not from '../domain/instant.ts', nor import('../storage/storage.ts')`,
    ],
  ])('when an import is allowed (%s), then it is none', (_, file, source) => {
    expect(violations(importsOf(file, source))).toEqual([])
  })
})

const packages = readdirSync(join(ROOT, 'packages'))

describe.each(packages)('the package %s', (name) => {
  const folder = join(ROOT, 'packages', name, 'src')
  const sources = filesUnder(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const)

  test('takes nothing of Tillbridge but what strangers may', () => {
    const used = new Set(
      sources.flatMap(([, source]) => packagesOf(source)).filter((used) => used.startsWith('tillbridge')),
    )
    expect([...used].filter((one) => !ENTRIES.includes(one))).toEqual([])
    expect([...used]).toContain('tillbridge/adapter')
    const outside = sources.flatMap(([file, source]) => importsOf(file, source)).filter(({ to }) => to.startsWith('..'))
    expect(outside).toEqual([])
  })
})

test('when tillbridge/adapter offers a function, then a package takes it, or the page for strangers tells of it', () => {
  const used = [
    ...packages.flatMap((name) =>
      filesUnder(join(ROOT, 'packages', name, 'src')).map((file) => `packages/${name}/src/${file}`),
    ),
    'docs/adapters/write-your-own.md',
  ].map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const isUsed = (name: string) => used.some((text) => new RegExp(`\\b${name}\\b`).test(text))
  const offered = [api, files, messages].flatMap(Object.keys)
  expect(offered.filter((name) => !isUsed(name))).toEqual([])
})

test('when the sandbox is read, then it takes nothing from the hub, nor from the tests', () => {
  const files = filesUnder(join(ROOT, 'sandbox'))
  const outside = files
    .flatMap((file) => importsOf(file, readFileSync(join(ROOT, 'sandbox', file), 'utf8')))
    .filter(({ to }) => to.startsWith('..'))

  expect(files.length).toBeGreaterThan(100)
  expect(outside).toEqual([])
})

describe('lists', () => {
  const adapters = packages.map((folder) => {
    const name = folder.replace('tillbridge-adapter-', '')
    const page = builtInNames.includes(name) ? `docs/adapters/${name}.md` : `packages/${folder}/README.md`
    return { file: `packages/${folder}/src/${name}.ts`, page }
  })

  test('when an adapter is a dependency of the hub, then it is built in', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const depended = packages.filter((name) => name in dependencies)
    expect(builtInNames.map((name) => `tillbridge-adapter-${name}`).toSorted()).toEqual(depended.toSorted())
    const index = readFileSync(join(ROOT, 'src/adapters/index.ts'), 'utf8')
    for (const name of depended) expect(index).toContain(`import('${name}')`)
  })

  test('when an adapter is ours, then it can look at its own system', () => {
    for (const { file, page } of adapters) {
      expect(readFileSync(join(ROOT, file), 'utf8'), file).toMatch(/^ +(async )?healthCheck[:(]/m)
      expect(readFileSync(join(ROOT, page), 'utf8'), page).toContain('## What doctor looks at')
    }
  })

  test('when a page is of an adapter, then that is built in', () => {
    const pages = readdirSync(join(ROOT, 'docs/adapters'))

    expect(pages.filter((page) => !WORKED_EXAMPLES.includes(page)).sort()).toEqual(
      builtInNames.map((name) => `${name}.md`).sort(),
    )
  })

  test('when a flow has a file, then it is on the list', () => {
    const index = readFileSync(join(ROOT, 'src/flows/index.ts'), 'utf8')
    const isFlow = (file: string) =>
      /^export const \w+: (readonly )?Flow(\[\])? =/m.test(readFileSync(join(ROOT, 'src/flows', file), 'utf8'))
    const files = filesUnder(join(ROOT, 'src/flows')).filter((file) => file !== 'index.ts' && isFlow(file))

    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(index).toContain(`from './${file}'`)
  })

  test('when a test folder mirrors src, then src has that folder', () => {
    // attack, expressions, kill, on-call, process and shipped are about the whole program, house is about its source, peers about
    // foreign programs; fixtures are given to all.
    const whole = ['attack', 'expressions', 'kill', 'on-call', 'process', 'shipped']
    const own = [...whole, 'fixtures', 'house', 'hubs', 'peers']
    const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true }).filter((entry) => entry.isDirectory())

    const strange = folders
      .map(({ name }) => name)
      .filter((name) => !own.includes(name) && !existsSync(join(ROOT, 'src', name)) && !existsSync(join(ROOT, name)))
    expect(strange).toEqual([])
  })
})

function violations(imports: Import[]): string[] {
  return imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} imports ${to}`)
}

function isAllowed({ from, to }: Import): boolean {
  const place = locationOf(from)
  const allowed = TABLE[place]
  if (!allowed || (to.startsWith('..') && !allowed.includes(to))) return false
  if (place === 'adapters' && locationOf(to) === 'adapters') return isAllowedAmongAdapters(from, to)
  return locationOf(to) === place || allowed.includes(locationOf(to)) || allowed.includes(to)
}

/** Adapters never import each other; what they share stands beside them. The list and the loader know them all. */
function isAllowedAmongAdapters(from: string, to: string): boolean {
  const [, own = '', ownFile] = from.split(sep)
  const [, other = '', otherFile] = to.split(sep)
  return ownFile === undefined || otherFile === undefined || own === other || ['shared', 'wording'].includes(other)
}

/** The folder of src (or the file right in it) that a file belongs to. */
function locationOf(file: string): string {
  const [folder = file, below] = file.split(sep)
  const inner = `${folder}/${below}`
  return inner in TABLE ? inner : folder
}
