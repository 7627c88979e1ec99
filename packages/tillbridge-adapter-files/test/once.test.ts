import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { RetryLaterError, UnknownOutcomeError } from '../../../src/domain/values/errors.ts'
import { createSftpFolder } from '../../../src/folders/sftp.ts'
import { createLocalFolder, type Transport } from '../../../src/folders/transport.ts'
import type { BackOfficePort } from '../../../src/ports/ports.ts'
import { createBackOffice } from '../src/files.ts'
import { WriteOptions } from '../src/options.ts'
import { crashing, ENDS, type End } from './crash.ts'
import { type Erp, type ErpFolder, erpOver, inFile, onlyError, openErpFolder } from './kit.ts'
import { describeSftp, noSshd, startSftpServer } from './sshd.ts'

const BATCH = ['1', '2', '3']

function erpAt(transport: Transport): Erp {
  const { port, ...office } = createBackOffice(WriteOptions.parse({ sale: {} }), transport, 'erp')
  const ports: { backOffice: BackOfficePort } = { backOffice: port }
  return erpOver({ ports, [Symbol.asyncDispose]: office[Symbol.asyncDispose] })
}

/** What the hub does about an uncertain delivery: it looks for each, and sends again what is not there. */
async function settle(erp: Erp, keys: string[]): Promise<void> {
  const { signal } = new AbortController()
  const missing: string[] = []
  for (const key of keys) if ((await erp.find(key, { signal })) === null) missing.push(key)
  if (missing.length > 0) await erp.sell(missing, { previous: 'open', signal })
}

/** How often each key is in the files that the ERP sees, or has taken. */
function counts(folder: ErpFolder): Record<string, number> {
  const files = folder.everything().filter((path) => !path.includes('.tillbridge'))
  const keys = files.flatMap((path) => {
    const [header, ...rows] = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(header).toMatch(/^Key,/)
    return rows.map((row) => row.split(',')[0] ?? '')
  })
  return Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]))
}

function take(folder: ErpFolder): void {
  const taken = join(folder.path, 'taken')
  mkdirSync(taken, { recursive: true })
  for (const name of folder.names()) renameSync(join(folder.path, name), join(taken, `${Math.random()}`))
}

interface Story {
  end: End
  /** The ERP takes files away as soon as they are there. */
  taken: boolean
  /** The process died: nobody heard how the call ended, so each is looked for. */
  killed: boolean
}

/** Ends the protocol at each of its steps, one after the other, and goes on as the hub does. Gives how many there are. */
async function endAtEachStep(open: (folder: string) => Transport, { end, taken, killed }: Story): Promise<number> {
  for (let at = 1; ; at++) {
    await using folder = openErpFolder()
    const controller = new AbortController()
    const transport = open(folder.path)
    const crash = crashing(transport, at, end, () => controller.abort())
    const results = await erpAt(crash.transport).sell(BATCH, { signal: controller.signal })
    const where = `${end} ${at}: ${crash.steps[at - 1]}`
    const [error] = results
    // What is scanned up afterwards is no part of it.
    if (!(error instanceof Error)) {
      expect(counts(folder), where).toEqual({ '1': 1, '2': 1, '3': 1 })
      return at - 1
    }
    if (taken) take(folder)

    const erp = erpAt(transport)
    if (!killed && error instanceof RetryLaterError) {
      expect(error.scope, where).toBe('destination')
      expect(counts(folder), where).toEqual({})
      await erp.sell(BATCH, { previous: 'failed' })
    } else {
      if (!killed) expect(error, where).toBeInstanceOf(UnknownOutcomeError)
      await settle(erp, BATCH)
      // Whoever looks again finds the same.
      await settle(erp, BATCH)
    }
    if (taken) take(folder)
    expect(counts(folder), where).toEqual({ '1': 1, '2': 1, '3': 1 })
    await erp[Symbol.asyncDispose]()
  }
}

/** Each end twice: heard of, with files that stay; and not heard of, with files that are taken. */
const STORIES = ENDS.flatMap((end) => [false, true].map((both): Story => ({ end, taken: both, killed: both })))

test.each(STORIES)(
  'a hub that dies at any step, in a folder: When it ends so ($end; taken: $taken; killed: $killed), then each record is there once',
  async (story) => {
    // Folders, content, marker, and into its place: if there are fewer, something is not looked at any more.
    expect(await endAtEachStep(createLocalFolder, story)).toBeGreaterThan(15)
  },
)

describeSftp('a hub that dies at any step, over SFTP', (server) => {
  const transports: Transport[] = []
  afterAll(async () => {
    for (const transport of transports) await transport[Symbol.asyncDispose]()
  })

  test.each(STORIES.filter(({ end }) => end === 'before' || end === 'after'))(
    'When it ends so ($end; taken: $taken; killed: $killed), then each record is there once',
    async (story) => {
      // One connection for all: what is under way is what is tried here, not how one is made.
      let folder = ''
      const whole = createSftpFolder(server().access('/'), { connections: 1, timeout: 5_000 })
      transports.push(whole)
      const open = (path: string): Transport => {
        folder = path.slice(1)
        return within(whole, () => folder)
      }
      expect(await endAtEachStep(open, story)).toBeGreaterThan(15)
    },
  )
})

test.skipIf(noSshd)(
  'When a server without posix-rename died in the middle of a rename, and has the file in both places, then it is there once',
  async () => {
    await using server = await startSftpServer({ without: ['posix-rename'] })
    await using folder = openErpFolder()
    const isLast = (step: string) => /^rename .* sale[^/]*$/.test(step)
    const crash = crashing(createLocalFolder(folder.path), isLast, 'before')
    await erpAt(crash.transport).sell(BATCH)
    const [content = ''] = folder.everything().filter((path) => path.includes('/work/'))
    const [, name = ''] = / (sale\S+)$/.exec(crash.steps.at(-1) ?? '') ?? []
    linkSync(content, join(folder.path, name))
    const access = server.access(folder.path)
    await using transport = createSftpFolder(access, { connections: 1, timeout: 5_000 })
    await using erp = erpAt(transport)
    expect(await erp.find('2')).toBe(`in ${name}`)
    expect(folder.everything().filter((path) => path.includes('/work/'))).toEqual([])
    await settle(erp, BATCH)
    expect(counts(folder)).toEqual({ '1': 1, '2': 1, '3': 1 })
  },
)

/** A folder of a server, over the connections of the whole. */
function within(whole: Transport, folder: () => string): Transport {
  const at = (path: string) => `${folder()}/${path}`.replace(/\/$/, '')
  return {
    where: whole.where,
    use: (signal, work) =>
      whole.use(signal, (files) =>
        work({
          list: (path) => files.list(at(path)),
          stat: (path) => files.stat(at(path)),
          read: (path) => files.read(at(path)),
          create: (path, content) => files.create(at(path), content),
          rename: (from, to) => files.rename(at(from), at(to)),
          remove: (path) => files.remove(at(path)),
          makeFolder: (path) => files.makeFolder(at(path)),
          removeFolder: (path) => files.removeFolder(at(path)),
          sync: (path) => files.sync(at(path)),
          freeSpace: (path) => files.freeSpace(at(path)),
        }),
      ),
    async [Symbol.asyncDispose]() {},
  }
}

describe('looking for what may be there', () => {
  /** A call that ended at the step before the file is put into its place. */
  async function almost(folder: ErpFolder, keys: string[]): Promise<void> {
    const isLast = (step: string) => /^rename .* sale[^/]*$/.test(step)
    const crash = crashing(createLocalFolder(folder.path), isLast, 'before')
    expect(onlyError(await erpAt(crash.transport).sell(keys))).toBeInstanceOf(UnknownOutcomeError)
    expect(folder.names()).toEqual([])
  }

  test.each(ENDS)('When the look ends so as well (%s), at any step, then each record is there once', async (end) => {
    for (let at = 1, ended = true; ended; at++) {
      await using folder = openErpFolder()
      await almost(folder, BATCH)
      const controller = new AbortController()
      const crash = crashing(createLocalFolder(folder.path), at, end, () => controller.abort())
      const looked = await erpAt(crash.transport)
        .find('2', { signal: controller.signal })
        .catch((error: Error) => error)
      ended = looked instanceof Error
      if (ended) expect(looked).toMatchObject({ scope: 'destination' })
      await using erp = erpAt(createLocalFolder(folder.path))
      await settle(erp, BATCH)
      expect(counts(folder), `${end} ${at}`).toEqual({ '1': 1, '2': 1, '3': 1 })
    }
  })

  test('When the same goes out again with one more record, then what is there stays, and the new one is a file of its own', async () => {
    await using folder = openErpFolder()
    await almost(folder, BATCH)
    await using erp = erpAt(createLocalFolder(folder.path))
    await settle(erp, BATCH)
    await erp.sell(['4'])
    expect(folder.names()).toHaveLength(2)
    expect(counts(folder)).toEqual({ '1': 1, '2': 1, '3': 1, '4': 1 })
  })

  test('When content has not survived whole, then it counts as never written', async () => {
    await using folder = openErpFolder()
    await almost(folder, BATCH)
    const [content = ''] = folder.everything().filter((path) => path.includes('/work/'))
    truncateSync(content, 10)
    await using erp = erpAt(createLocalFolder(folder.path))
    await settle(erp, BATCH)
    expect(folder.names()).toHaveLength(1)
    expect(counts(folder)).toEqual({ '1': 1, '2': 1, '3': 1 })
  })

  test('When two hubs look for the same at once, then it is put into its place once', async () => {
    await using folder = openErpFolder()
    await almost(folder, BATCH)
    await using one = erpAt(createLocalFolder(folder.path))
    await using other = erpAt(createLocalFolder(folder.path))
    const found = await Promise.all(BATCH.flatMap((key) => [one.find(key), other.find(key)]))
    expect(new Set(found)).toEqual(new Set([`in ${folder.names()[0]}`]))
    expect(counts(folder)).toEqual({ '1': 1, '2': 1, '3': 1 })
  })

  test('When the folder cannot be reached, then nothing is said about what is there', async () => {
    await using erp = erpAt(createLocalFolder('/nowhere/at/all'))
    await expect(erp.find('1')).rejects.toMatchObject({ scope: 'destination', code: 'files-missing' })
  })

  test('When a thousand records of one call are looked for, then the folders are looked at once', async () => {
    await using folder = openErpFolder()
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`)
    await almost(folder, keys)
    for (let other = 0; other < 20; other++)
      await erpAt(createLocalFolder(folder.path)).sell([`x${other}`, `y${other}`])
    const watched = crashing(createLocalFolder(folder.path), Number.POSITIVE_INFINITY, 'before')
    await using erp = erpAt(watched.transport)
    const { signal } = new AbortController()
    for (const key of keys) expect(await erp.find(key, { signal })).toEqual(inFile('sale-101-2026-08-03'))
    expect(watched.steps.length).toBeLessThan(15)
  })

  test('When a hub was away for days, then markers since its first try are read, and no older ones', async () => {
    await using folder = openErpFolder()
    await almost(folder, BATCH)
    const keys = join(folder.path, '.tillbridge/keys')
    const [today = ''] = readdirSync(keys)
    renameSync(join(keys, today), join(keys, '2026-08-03'))
    await using erp = erpAt(createLocalFolder(folder.path))
    expect(await erp.find('1', { firstTriedAt: Date.parse('2026-08-06T12:00:00Z') })).toBe(null)
    expect(await erp.find('1', { firstTriedAt: Date.parse('2026-08-04T12:00:00Z') })).toMatch(/^in sale/)
  })
})
