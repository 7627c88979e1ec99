import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noSshd, startSftpServer } from '../../packages/tillbridge-adapter-files/test/sshd.ts'
import {
  clearUnfinished,
  createArchiveWriter,
  deleteArchived,
  expiredOf,
  noteErasure,
  openArchive,
  readArchived,
  readErasures,
  readManifest,
} from '../../src/archive/archive.ts'
import { type Files, FilesError } from '../../src/folders/transport.ts'
import { openPlace, PLACES, type Place } from './kit.ts'

const DAY = 24 * 3_600_000
const OCTOBER = Date.parse('2026-10-30T12:00:00Z')
const never = new AbortController().signal

const EVENTS = Array.from({ length: 12 }, (_, nth) => ({
  id: nth + 1,
  kind: nth % 2 === 0 ? 'SaleCreated' : 'CustomerCreated',
  receivedAt: OCTOBER + Math.floor(nth / 6) * 5 * DAY,
  identity: null,
  transportKey: null,
  body: Buffer.from(`{"nth":${nth}}`),
}))

async function write(files: Files, events: readonly (typeof EVENTS)[number][] = EVENTS): Promise<void> {
  await clearUnfinished(files)
  const writer = createArchiveWriter(files)
  for (const event of events) await writer.add(event)
  await writer.end()
}

/** The ids of all events that are read there. */
async function idsIn(files: Files): Promise<number[]> {
  const ids: number[] = []
  for (const file of await readManifest(files)) for (const { id } of await readArchived(files, file)) ids.push(id)
  return ids.sort((a, b) => a - b)
}

/** The same files, over which one step too many is not made, or made and never answered. */
function cutAt(files: Files, step: number, isMade: boolean): Files {
  let made = 0
  return new Proxy(files, {
    get(target, name: keyof Files) {
      if (name === 'read') return target.read
      return async (...args: never[]) => {
        made += 1
        const take = () => (target[name] as (...given: never[]) => Promise<unknown>)(...args)
        if (made !== step) return await take()
        if (isMade) await take().catch(() => {})
        throw new FilesError('lost', 'cut the connection.')
      }
    },
  })
}

/** Does the work cut off at each of its steps (on a server, at some), each time in an empty place; `then` sees what was left. How many it has. */
async function atEachStep(
  place: Place,
  before: (files: Files) => Promise<void>,
  work: (files: Files) => Promise<void>,
  then: (files: Files) => Promise<void>,
): Promise<number> {
  await using archive = openArchive({ ...place.options, keep: DAY })
  for (let step = 1; ; step += place.server ? 4 : 1)
    for (const isMade of [false, true]) {
      rmSync(place.path, { recursive: true, force: true })
      const isOver = await archive.use(never, async (files) => {
        await before(files)
        const error = await work(cutAt(files, step, isMade)).catch((reason: unknown) => reason)
        if (error !== undefined) expect(error).toMatchObject({ fault: 'lost' })
        await then(files)
        return error === undefined
      })
      if (isOver) return step - 1
    }
}

describe.each(PLACES)('an archive (%s)', (sort) => {
  test('When writing is cut off at any of its steps, then all that is named can be read, and the next run has all and leaves nothing that is not named', async () => {
    await using place = await openPlace(sort)
    const steps = await atEachStep(
      place,
      async () => {},
      (files) => write(files),
      async (files) => {
        await idsIn(files)
        await write(files)
        expect([...new Set(await idsIn(files))]).toEqual(EVENTS.map(({ id }) => id))
        expect(place.named()).toEqual(place.files())
      },
    )
    expect(steps).toBeGreaterThan(20)
  })

  test('When expiring is cut off at any of its steps, then the next run ends it, and what is held stays', async () => {
    await using place = await openPlace(sort)
    const later = Date.UTC(2026, 10, 1) + 2 * DAY
    const expire = async (files: Files) => deleteArchived(files, expiredOf(await readManifest(files), DAY, [1], later))
    const steps = await atEachStep(
      place,
      (files) => write(files),
      expire,
      async (files) => {
        // Another run of the night comes between.
        await write(files, [])
        await expire(files)
        expect(await idsIn(files)).toEqual([1, 3, 5, 7, 8, 9, 10, 11, 12])
        expect(place.named()).toEqual(place.files())
        expect(place.others().filter((name) => !name.endsWith('.ndjson'))).toEqual([])
      },
    )
    expect(steps).toBeGreaterThan(5)
  })

  test('When a kind has a name that leads elsewhere, then its file lies in the archive all the same', async () => {
    await using place = await openPlace(sort)
    await using archive = openArchive({ ...place.options, keep: DAY })
    const [event] = EVENTS
    if (!event) throw new Error('none')
    const kinds = ['..', '../../x', 'manifest', 'erasures', '.part']
    await archive.use(never, (files) =>
      write(
        files,
        kinds.map((kind, nth) => ({ ...event, kind, id: nth + 1 })),
      ),
    )
    expect(place.files()).toHaveLength(kinds.length)
    expect(await archive.use(never, idsIn)).toEqual([1, 2, 3, 4, 5])
  })

  test('When a page or an erasure is damaged, then it is said, and nothing is read past it', async () => {
    await using place = await openPlace(sort)
    await using archive = openArchive({ ...place.options, keep: DAY })
    await archive.use(never, async (files) => {
      await write(files)
      await noteErasure(files, { pseudonym: 'erased-00000001', at: '2026-11-01', keys: ['k'] })
    })
    expect(await archive.use(never, (files) => readErasures(files))).toHaveLength(1)
    writeFileSync(join(place.path, 'manifest/2026-10.ffffffff.ndjson'), '{"file":"Sal')
    writeFileSync(join(place.path, 'erasures/erased-00000002.json'), '{')
    await expect(archive.use(never, readManifest)).rejects.toThrow(/manifest\/2026-10\.ffffffff\.ndjson .* damaged/)
    await expect(archive.use(never, (files) => readErasures(files))).rejects.toThrow(/erased-00000002\.json .* damaged/)
  })
})

describe.skipIf(noSshd)('an SFTP server', () => {
  test('When it cannot rename over a file, nor be told to write to its disk, then it has an archive all the same', async () => {
    await using plain = await startSftpServer({ without: ['posix-rename', 'fsync'] })
    await using place = await openPlace('folder')
    const sftp = plain.access(place.path)
    await using archive = openArchive({ sftp, keep: DAY })

    await archive.use(never, (files) => write(files))
    await archive.use(never, (files) => write(files))
    await archive.use(never, async (files) => {
      for (const keys of [['k'], ['k', 'l']])
        await noteErasure(files, { pseudonym: 'erased-00000001', at: '2026', keys })
      expect(await readErasures(files)).toMatchObject([{ keys: ['k', 'l'] }])
    })
    const later = Date.UTC(2026, 10, 1) + 2 * DAY
    await archive.use(never, async (files) => {
      await deleteArchived(files, expiredOf(await readManifest(files), DAY, [1], later))
      expect([...new Set(await idsIn(files))]).toEqual([1, 3, 5, 7, 8, 9, 10, 11, 12])
    })
  })

  test('When its connections are killed while files are written, then it is said, and the next run has all', async () => {
    await using place = await openPlace('sftp')
    await using archive = openArchive({ ...place.options, keep: DAY })
    const killed = archive.use(never, async (files) => {
      let count = 0
      await write({
        ...files,
        async create(...args) {
          count += 1
          if (count === 3) await place.server?.stop()
          await files.create(...args)
        },
      })
    })
    await expect(killed).rejects.toMatchObject({ name: 'ArchiveError', code: 'files-lost' })
    await expect(archive.use(never, readManifest)).rejects.toMatchObject({ code: 'files-unreachable' })

    await place.server?.start()
    await archive.use(never, (files) => write(files))
    expect(await archive.use(never, idsIn)).toEqual(EVENTS.map(({ id }) => id))
    expect(place.named()).toEqual(place.files())
  })

  test('When much is written and read, then it goes over one connection', async () => {
    await using place = await openPlace('sftp')
    await using archive = openArchive({ ...place.options, keep: DAY })
    await archive.use(never, async (files) => {
      const one = place.server?.connections()
      await write(files)
      await idsIn(files)
      expect([one, place.server?.connections()]).toEqual([one, one])
    })
    await archive.use(never, idsIn)
    expect(place.server?.connections()).toBeLessThanOrEqual(2)
  })
})
