import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { PermanentError, RetryLaterError } from '../../../src/domain/values/errors.ts'
import { saleRecord } from '../../../test/adapters/records.ts'
import { eventually } from '../../../test/eventually.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../../../test/small-disk.ts'
import { type Erp, type ErpFolder, inFile, onlyError, openErp, openErpFolder } from './kit.ts'

function story(title: string, tell: (given: { folder: ErpFolder; erp: Erp }) => Promise<void>): void {
  test(title, async () => {
    await using folder = openErpFolder()
    await using erp = openErp({ folder: folder.path })
    await tell({ folder, erp })
  })
}

describe('files in a folder', () => {
  story(
    'When sales come one by one, then each has a file of its own, and none takes the name of another',
    async ({ folder, erp }) => {
      const notes: unknown[] = []
      for (const no of ['1001', '1002', '1003']) notes.push(...(await erp.sell([no])))
      expect(notes).toEqual(Array(3).fill(inFile('sale-101-2026-08-03')))
      expect(folder.names().map((name) => `in ${name}`)).toEqual(notes.toSorted())
      expect(folder.read(String(notes[1]).slice(3))).toMatch(/^Key,.*\n1002,101,2026-08-03,1002,.*\n$/)
    },
  )

  test.each([
    [{}, 0o600, 0o700],
    [{ mode: '0640' }, 0o640, 0o750],
    [{ mode: '0664' }, 0o664, 0o775],
  ])(
    'When it is written with %j, then files and folders have the rights that go with it',
    async (given, file, made) => {
      await using folder = openErpFolder()
      const umask = process.umask(0o027)
      try {
        await using erp = openErp({ folder: folder.path, ...given })
        await erp.sell(['1001'])
      } finally {
        process.umask(umask)
      }
      const rightsOf = (name: string) => statSync(join(folder.path, name)).mode & 0o777
      expect(folder.names().map(rightsOf)).toEqual([file])
      expect(rightsOf('.tillbridge')).toBe(made)
    },
  )

  test('When the sales of a day come together, then they are one file with a row a line, and a late one is another', async () => {
    await using folder = openErpFolder()
    await using erp = openErp({ folder: folder.path, write: { sale: { name: 'sales-{store}-{day}' } } })
    const day = { a: saleRecord('1001', [{}, { gtin: '7090012340028' }]), b: saleRecord('1002') }
    const [first, second] = await erp.book('bookSale', day)
    expect([first, second]).toEqual([inFile('sales-101-2026-08-03'), first])
    const late = await erp.sell(['1003'])
    expect(late).toEqual([inFile('sales-101-2026-08-03')])
    expect(late).not.toEqual([first])
    const [, ...rows] = folder.read(String(first).slice(3)).trimEnd().split('\n')
    expect(rows.map((row) => row.slice(0, 2))).toEqual(['a,', 'a,', 'b,'])
  })

  test('When the ERP takes each file away, then a name that was there is still not used again', async () => {
    await using folder = openErpFolder()
    const notes: unknown[] = []
    for (const no of ['1', '2', '3', '4']) {
      // A hub that was started anew, too.
      await using erp = openErp({ folder: folder.path })
      notes.push(...(await erp.sell([no])))
      for (const name of folder.names()) rmSync(join(folder.path, name))
    }
    expect(new Set(notes).size).toBe(4)
  })

  test('When the same record is written again, then it is in the same file once', async () => {
    await using folder = openErpFolder()
    for (let time = 0; time < 2; time += 1) {
      await using erp = openErp({ folder: folder.path })
      await erp.sell(['1'])
    }
    const [name = '', ...others] = folder.names()
    expect(others).toEqual([])
    expect(folder.read(name).trimEnd().split('\n')).toHaveLength(2)
  })

  story('When somebody else has put files of that name there, then they stay as they are', async ({ folder, erp }) => {
    const theirs = ['', '-2', '-3', '-5', '-6'].map((number) => `sale-101-2026-08-03${number}.csv`)
    for (const name of theirs) writeFileSync(join(folder.path, name), 'theirs')
    await erp.sell(['1'])
    await erp.sell(['2'])
    for (const name of theirs) expect(folder.read(name)).toBe('theirs')
    expect(folder.names()).toHaveLength(7)
  })

  story('When a large file is written, then nobody sees a part of it', async ({ folder, erp }) => {
    const lines = Array.from({ length: 50_000 }, () => ({ name: 'x'.repeat(300) }))
    const done = erp.book('bookSale', { big: saleRecord('1', lines) })
    const sizes = new Set<number>()
    let looks = 0
    let ended = false
    const ending = done.finally(() => {
      ended = true
    })
    for (; !ended; looks++) {
      for (const name of folder.names()) sizes.add(statSync(join(folder.path, name)).size)
      await nextTurn()
    }
    await ending
    for (const name of folder.names()) sizes.add(statSync(join(folder.path, name)).size)
    expect(looks).toBeGreaterThan(5)
    expect([...sizes].map((size) => size > 15_000_000)).toEqual([true])
  })

  test('When two hubs write into one folder, then no file is lost and none is there twice', async () => {
    await using folder = openErpFolder()
    await using one = openErp({ folder: folder.path })
    await using other = openErp({ folder: folder.path })
    const numbers = Array.from({ length: 30 }, (_, index) => String(index))
    const notes = await Promise.all(numbers.flatMap((no) => [one.sell([`a${no}`]), other.sell([`b${no}`])]))
    expect(new Set(notes.flat()).size).toBe(60)
    expect(folder.names()).toHaveLength(60)
    const keys = folder.names().map((name) => folder.read(name).split('\n')[1]?.split(',')[0])
    expect(new Set(keys).size).toBe(60)
  })

  story('When one record cannot be written, then it alone is refused', async ({ erp }) => {
    const bad = { ...saleRecord('2'), sale: { ...saleRecord('2').sale, lines: 'none' as never } }
    const [first, second, third] = await erp.book('bookSale', { a: saleRecord('1'), b: bad, c: saleRecord('3') })
    expect([first, third]).toEqual([inFile('sale-101-2026-08-03'), inFile('sale-101-2026-08-03')])
    expect(second).toBeInstanceOf(PermanentError)
    expect(second).toMatchObject({ message: 'erp: this record cannot be written: sale.lines is no list' })
  })
})

describe('outage with a folder', () => {
  test('When it is not there, then the queue waits until it is', async () => {
    await using folder = openErpFolder()
    const path = join(folder.path, 'share')
    await using erp = openErp({ folder: path })
    for (const call of [() => erp.sell(['1', '2']), () => erp.find('1').then(String, (error: Error) => [error])]) {
      const error = onlyError([await call()].flat())
      expect(error).toBeInstanceOf(RetryLaterError)
      expect(error).toMatchObject({ scope: 'destination', code: 'files-missing' })
      expect(error.message).toMatch(/^erp: .*share is not there/)
    }
    expect(existsSync(path)).toBe(false)
    mkdirSync(path)
    expect(await erp.sell(['1'])).toEqual([inFile('sale-101-2026-08-03')])
  })

  test.skipIf(noSmallDisk)(
    `When its disk is full, then nothing is left behind, and it goes on when there is room${whyNoDisk}`,
    async () => {
      await using disk = mountSmallDisk(512 * 1024)
      await using erp = openErp({ folder: disk.path })
      await erp.sell(['1'])
      const before = readdirSync(disk.path, { recursive: true }).length
      await disk.ballast(512 * 1024)
      const error = onlyError(await erp.sell(['2', '3']))
      expect(error).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code: 'files-full' })
      expect(error.message).toBe(`erp: ${disk.path} has no room: its disk is full.`)
      await disk.ballast(null)
      expect(readdirSync(disk.path, { recursive: true })).toHaveLength(before)
      expect(await erp.sell(['2', '3'])).toEqual([inFile('sale-101-2026-08-03'), inFile('sale-101-2026-08-03')])
    },
  )

  test.skipIf(noSmallDisk)(`When its disk is read-only, then the queue waits until it is not${whyNoDisk}`, async () => {
    await using disk = mountSmallDisk(512 * 1024)
    await using erp = openErp({ folder: disk.path })
    await erp.sell(['1'])
    disk.setReadOnly(true)
    expect(onlyError(await erp.sell(['2']))).toMatchObject({ scope: 'destination', code: 'files-denied' })
    disk.setReadOnly(false)
    expect(await erp.sell(['2'])).toEqual([inFile('sale-101-2026-08-03')])
  })
})

describe('what is not needed any more', () => {
  test('When a marker is 30 days old, then it goes; content that was left behind goes too', async () => {
    await using folder = openErpFolder()
    const hidden = join(folder.path, '.tillbridge')
    await (async () => {
      await using erp = openErp({ folder: folder.path })
      await erp.sell(['1'])
      await erp.sell(['2', '3'])
    })()
    const [today = ''] = readdirSync(join(hidden, 'keys'))
    renameSync(join(hidden, 'keys', today), join(hidden, 'keys', '2020-01-01'))
    mkdirSync(join(hidden, 'keys', '2020-02-01'))
    writeFileSync(join(hidden, 'keys', '2020-01-01', 'of-somebody-else'), '')
    for (const name of folder.names()) rmSync(join(folder.path, name))
    for (const name of ['left-behind', 'new']) writeFileSync(join(hidden, 'work', name), 'x')
    const yesterday = Date.now() / 1000 - 25 * 60 * 60
    utimesSync(join(hidden, 'work', 'left-behind'), yesterday, yesterday)
    await using erp = openErp({ folder: folder.path })
    expect(await erp.sell(['4'])).toEqual([inFile('sale-101-2026-08-03')])
    await eventually(() => {
      expect(readdirSync(join(hidden, 'keys'))).toEqual(['2020-02-01', today])
      expect(readdirSync(join(hidden, 'work'))).toEqual(['new'])
    })
  })

  test('When the clock is years ahead, then no marker goes by it', async () => {
    await using folder = openErpFolder()
    const hidden = join(folder.path, '.tillbridge')
    await (async () => {
      await using erp = openErp({ folder: folder.path })
      await erp.sell(['1'])
    })()
    const [today = ''] = readdirSync(join(hidden, 'keys'))
    // As if today were years later than when it was written.
    renameSync(join(hidden, 'keys', today), join(hidden, 'keys', '2020-01-01'))
    for (const name of folder.names()) rmSync(join(folder.path, name))
    writeFileSync(join(hidden, 'work', 'left-behind'), 'x')
    utimesSync(join(hidden, 'work', 'left-behind'), 1, 1)
    await using erp = openErp({ folder: folder.path })
    await erp.sell(['2'])
    await eventually(() => expect(readdirSync(join(hidden, 'work'))).toEqual([]))
    expect(readdirSync(join(hidden, 'keys'))).toEqual(['2020-01-01', today])
    expect(await erp.sell(['3'])).toEqual([inFile('sale-101-2026-08-03')])
  })
})
