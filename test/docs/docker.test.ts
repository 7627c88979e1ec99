import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { comesAlong, ROOT, stepsOf } from './docker-context.ts'

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

test('When the image is built, then all that the Dockerfile copies comes along', () => {
  const copies = stepsOf(read('Dockerfile')).filter(({ verb }) => verb === 'COPY')
  const copied = copies.flatMap(({ rest }) => rest.split(' ').slice(0, -1))
  expect(copied).toContain('tools')
  expect(copied.filter((path) => !comesAlong(path) || !existsSync(join(ROOT, path)))).toEqual([])
})

test('When the hub or a command runs in the image, then each file that it imports is there', () => {
  const needed = importedBy(['src/main.ts', 'src/cli/tillbridge.ts'])
  expect(needed.size).toBeGreaterThan(400)
  expect([...needed].filter((path) => !comesAlong(path))).toEqual([])
  const flags = JSON.parse(read('tools/start-flags.json')) as string[]
  const loaded = flags.filter((flag) => flag.startsWith('./')).map((flag) => flag.slice(2))
  expect(loaded).not.toEqual([])
  expect(loaded.filter((path) => !comesAlong(path))).toEqual([])
})

test('When the image is built, then sandbox and demo are not in it, nor anything that is not asked for', () => {
  const all = readdirSync(join(ROOT, 'src'), { recursive: true }).map((path) => `src/${path}`)
  expect(all.filter((path) => /src\/(sandbox|demo|cli\/sandbox\.ts)/.test(path) && comesAlong(path))).toEqual([])
  expect(['.env', 'data/tillbridge.db', 'test/hub.ts', 'config/tillbridge.yaml'].filter(comesAlong)).toEqual([])
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
