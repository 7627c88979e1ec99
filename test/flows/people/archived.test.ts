import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/people/people.ts'
import type { ArchivedFile } from '../../../src/store/archive/manifest.ts'
import { asking, tillbridge } from '../../cli/run.ts'
import { createTestClock, type TestClock } from '../../clock.ts'
import { ADMIN_TOKEN, type TestHub } from '../../hub.ts'
import { startSink } from '../../sink.ts'
import { temporaryFolder } from '../../store/sqlite-file.ts'
import { aHubThatKnowsZeb, bytesWith, CANARIES, withoutHashes, ZEB } from './zeb.ts'

const DAY = 24 * 3_600_000
const KEEP = 400

/** A hub that has put all that it knew of Zeb into its archive. */
async function archivedZeb(folder: string, url: string, clock: TestClock) {
  const archive = { folder: join(folder, 'archive'), keep: `${KEEP}d` }
  const hub = await aHubThatKnowsZeb(url, { clock, retention: { archive } })
  await hub.admin('events/dismiss', { filter: { state: 'unrouted' }, reason: 'x' })
  clock.advance(91 * DAY)
  await hub.admin('jobs/retention/run', {})
  const manifest = join(archive.folder, 'manifest.ndjson')
  const files = () =>
    readFileSync(manifest, 'utf8')
      .split('\n')
      .flatMap((line): ArchivedFile[] => (line === '' ? [] : [JSON.parse(line)]))
  return { hub, archive, files }
}

/** The commands that read the files of an archive, which config names. */
function reading(folder: string, archive: { folder: string }, { url }: TestHub) {
  const config = join(folder, 'tillbridge.yaml')
  const words = [
    `server: { adminToken: "\${ADMIN_TOKEN}" }`,
    `platform: { webhooks: { tokens: ["\${ADMIN_TOKEN}"] } }`,
    `retention: { archive: { folder: "${archive.folder}" } }`,
  ]
  writeFileSync(config, words.join('\n'))
  const env = { TILLBRIDGE_CONFIG: config, ADMIN_TOKEN, TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN }
  return (...args: string[]) => tillbridge(args, env)
}

test('When a person is forgotten after their events were archived, then what is read of the archive says nothing of them, and of others all', async () => {
  using folder = temporaryFolder()
  await using sink = await startSink()
  const { hub, archive, files } = await archivedZeb(folder.path, sink.url, createTestClock())
  await using _ = hub
  const ask = reading(folder.path, archive, hub)
  const whole = async () => {
    let all = ''
    for (const { file } of files()) all += (await ask('archive', 'restore', file)).out
    return all
  }
  const before = await whole()
  expect(CANARIES.filter((text) => before.includes(text)).length).toBeGreaterThan(3)

  const erased = (await hub.admin<ErasedPerson>('people/erase', { who: ZEB.email, reason: 'asked', skipOpen: true }))
    .body
  const after = await whole()
  expect(CANARIES.filter((text) => after.toLowerCase().includes(text.toLowerCase()))).toEqual([])
  expect(after).not.toContain(String(ZEB.customerId))
  expect(after).toContain(erased.proof?.pseudonym)
  expect(after.split('\n')).toHaveLength(before.split('\n').length)
  for (const line of before.split('\n').filter((one) => one.includes('kari.nordmann@example.com')))
    expect(after).toContain(line)
  expect((await ask('archive', 'search', 'Qvistgaardsen', '--json')).out).not.toMatch(/4790001|zebed/i)
  const erasures = withoutHashes(readFileSync(join(archive.folder, 'erasures.ndjson'), 'utf8'))
  expect(erasures).not.toMatch(/zebed|qvist|canary|4123|kanari|4790001/i)
})

test('When the hub that knows of whom an erasure is does not answer, then nothing of the archive is read', async () => {
  using folder = temporaryFolder()
  await using sink = await startSink()
  const { hub, archive, files } = await archivedZeb(folder.path, sink.url, createTestClock())
  const ask = reading(folder.path, archive, hub)
  await hub.admin('people/erase', { who: ZEB.email, reason: 'asked', skipOpen: true })
  await hub[Symbol.asyncDispose]()
  const { out, err } = await ask('archive', 'restore', files()[0]?.file ?? '')
  expect(err).toContain('No hub answers')
  expect(out).toBe('')
})

test('When files of the archive have had their time, then the nightly job takes them, says so, and those under a legal hold stay', async () => {
  using folder = temporaryFolder()
  await using sink = await startSink()
  const clock = createTestClock()
  const { hub, archive, files } = await archivedZeb(folder.path, sink.url, clock)
  await using _ = hub
  const run = asking(hub)
  const [held, ...others] = files()
  expect(others.length).toBeGreaterThan(1)
  await hub.admin('retention/hold', { events: [held?.first], reason: 'a case' })
  const { out } = await run('people', 'find', ZEB.email)
  expect(out).toMatch(/until they expire: .*SaleCreated.*\(\d{4}-\d\d-01\)|until they expire: .*\(\d{4}-\d\d-\d\d\)/)
  expect((await run('retention', 'plan')).out).toMatch(
    /Of the archive, no file has expired; the next does on \d{4}-\d\d-\d\d/,
  )

  clock.advance((KEEP + 31) * DAY)
  expect((await run('retention', 'plan')).out).toMatch(
    new RegExp(`Of the archive, ${others.length} files \\(.+\\) have expired`),
  )
  await hub.admin('jobs/retention/run', {})
  expect(others.map(({ file }) => existsSync(join(archive.folder, file)))).toEqual(others.map(() => false))
  expect(files().map(({ file }) => file)).toContain(held?.file)
  expect(files().filter(({ file }) => others.some((one) => one.file === file))).toEqual([])
  expect((await run('audit', 'list', '--action', 'archive expire')).out).toMatch(/job retention/)
  expect(bytesWith(hub).length).toBeGreaterThan(0)
})
