import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { program } from '../../src/cli/program.ts'
import { comesAlong, ROOT, stepsOf } from '../../tools/docker-context.ts'

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((page) => `docs/${page}`),
]

test('When a page shows a command, then the program has it, with these options', () => {
  const shown = PAGES.filter((page) => page.endsWith('.md')).flatMap((page) =>
    commandsOf(readFileSync(join(ROOT, page), 'utf8')).map((words) => ({ page, words })),
  )
  expect(shown.length).toBeGreaterThan(100)
  const wrong = shown.flatMap(({ page, words }) => {
    const fault = faultIn(program, words)
    return fault === null ? [] : [`${page}: ${words.join(' ')}: ${fault}`]
  })
  expect(wrong).toEqual([])
})

test('When the program says what to type, then it has that command, with these options', () => {
  const files = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
  const shown = files.flatMap((file) => spokenOf(read(file)).map((words) => ({ file, words })))
  expect(shown.length).toBeGreaterThan(100)
  const wrong = shown.flatMap(({ file, words }) => {
    const fault = faultIn(program, words, true)
    return fault === null ? [] : [`${file}: ${words.join(' ')}: ${fault}`]
  })
  expect(wrong).toEqual([])
})

/** What stands after `tillbridge` in what is said to people; not a mark in a shop, nor the name of a lock. */
function spokenOf(source: string): string[][] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const said = code.replaceAll(/\$\{[^}]*\}/g, 'TEXT').replaceAll(/\[tillbridge customer|tillbridge copy TEXT/g, '')
  // In a sentence it ends with a mark; words of the sentence that follow are as good as arguments.
  return [...said.matchAll(/\btillbridge ([a-z][^\\`'"\n:;,.)]*)/g)].map(([, line = '']) => wordsOf(line))
}

/** What stands after `tillbridge` where commands stand: at the beginning of a line of a block, or of a piece of code. */
function commandsOf(page: string): string[][] {
  const lines = [
    ...page.matchAll(/(?:^ *(?:\$ )?|`)(?:npx tillbridge|npm run tillbridge --|tillbridge) ([a-z][^`\n]*)/gm),
  ]
  return lines.map(([, line = '']) => wordsOf(line))
}

/** Up to where a shell, or the page, says something else. */
function wordsOf(line: string): string[] {
  const command = line.split(/ (?:#|\||>|&&|…)|;/)[0] ?? ''
  return command
    .replace(/"[^"]*"|'[^']*'/g, 'text')
    .split(/\s+/)
    .filter(Boolean)
}

/** Null: it is right, as far as names go. `isTyped`: to name a family of commands is not enough. */
function faultIn(command: Command, [word, ...rest]: readonly string[], isTyped = false): string | null {
  if (command.commands.length > 0) {
    const inner = command.commands.find((one) => one.name() === word)
    if (inner) return faultIn(inner, rest, isTyped)
    if (word === '--help') return null
    const byDefault: unknown = Reflect.get(command, '_defaultCommandName')
    if (typeof byDefault === 'string' && (word === undefined || word.startsWith('--')))
      return faultIn(command, [byDefault, ...(word === undefined ? [] : [word]), ...rest])
    if (word !== undefined) return `no command ${word}`
    return isTyped ? 'it takes one of its commands' : null
  }
  const known = command.options.flatMap(({ long, short }) => [long, short])
  const strange = [word ?? '', ...rest].map((one) => one.split('=')[0]).filter((one) => one?.startsWith('-'))
  const [first] = strange.filter((one) => one !== '--help' && !known.includes(one))
  return first === undefined ? null : `no option ${first}`
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The files of the program that these import, themselves included; threads and processes are started by a URL. */
function importedBy(files: string[]): Set<string> {
  const found = new Set<string>()
  const open = [...files]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const [, target = ''] of read(file).matchAll(/['"](\.{1,2}\/[^'"]+\.ts)['"]/g)) {
      const path = relative(ROOT, join(ROOT, dirname(file), target))
      if (existsSync(join(ROOT, path))) open.push(path)
    }
  }
  return found
}

test('When the image is built, then all that the Dockerfile copies and the build reads comes along', () => {
  const copies = stepsOf(read('Dockerfile')).filter(({ verb, rest }) => verb === 'COPY' && !rest.startsWith('--from'))
  const copied = copies.flatMap(({ rest }) => rest.split(' ').slice(0, -1))
  expect(copied).toContain('tools')
  // Of the config, the parts that are shipped.
  expect(copied.filter((path) => path !== 'config' && !(comesAlong(path) && existsSync(join(ROOT, path))))).toEqual([])
  const packages = globSync('packages/*/src/*.ts', { cwd: ROOT })
  const needed = importedBy(['src/main.ts', 'src/cli/program.ts', ...packages])
  expect(needed.size).toBeGreaterThan(400)
  expect([...needed].filter((path) => !comesAlong(path))).toEqual([])
  const shipped = globSync('config/{demo.yaml,example.yaml,sandbox.env,tillbridge.schema.json,deploy/*,push/*}', {
    cwd: ROOT,
  })
  expect(shipped.filter((path) => !comesAlong(path))).toEqual([])
})

test('When the image is built, then nothing comes along that is not asked for', () => {
  const others = ['.env', 'data/tillbridge.db', 'test/hub.ts', 'config/tillbridge.yaml', 'dist/lib/main.js']
  const tests = globSync('packages/*/test/*.ts', { cwd: ROOT })
  expect(tests).not.toEqual([])
  expect([...others, ...tests].filter(comesAlong)).toEqual([])
})

test('When compose runs the image, then what is kept is in the volume that the hub writes to, and the rest is read-only', () => {
  const { services } = parse(read('compose.yaml'))
  const steps = stepsOf(read('Dockerfile'))
  const volume = steps.find(({ verb }) => verb === 'VOLUME')?.rest
  expect(services.hub.volumes).toContain(`data:${volume}`)
  expect(services.hub.read_only).toBe(true)
  expect(read('config/example.yaml')).toContain('url: file:./data/')
  // Docker kills what is not done by then.
  expect(Number.parseInt(services.hub.stop_grace_period, 10)).toBeGreaterThan(10)
})

test('When compose adds PostgreSQL, then the hub waits for it and is given its address', () => {
  const { services } = parse(read('compose.postgres.yaml'))
  expect(services.hub.depends_on).toEqual({ db: { condition: 'service_healthy' } })
  const { POSTGRES_USER: user, POSTGRES_DB: database } = services.db.environment
  expect(services.hub.environment.DATABASE_URL).toMatch(new RegExp(`^postgres://${user}:.*@db:5432/${database}$`))
})
