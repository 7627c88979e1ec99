import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UserError } from '../../src/domain/values/errors.ts'
import { backUp } from '../../src/storage/backup.ts'
import { createArrivals } from './arrivals.ts'
import { openFile, temporaryFolder } from './sqlite/file.ts'

const { of } = createArrivals({ now: () => Date.parse('2026-11-20T14:00:00Z') })
const sale = (receipt: number) =>
  of('SaleCreated', { receiptNo: receipt }, { identity: `sale-${receipt}`, transportKey: `event-${receipt}` })

test('When a store is backed up while a hub works on it, then a hub on the copy knows what was taken until then', async () => {
  using folder = temporaryFolder()
  const [path, copy] = [join(folder.path, 'store.db'), join(folder.path, 'copy.db')]
  await using storage = await openFile(path)
  await storage.accept([sale(1), sale(2)])
  await backUp(`file:${path}`, copy)
  await storage.accept([sale(3)])

  await using restored = await openFile(copy)
  expect((await restored.events({ limit: 10 })).map(({ identity }) => identity)).toEqual(['sale-2', 'sale-1'])
  const verdicts = await restored.accept([sale(1), sale(2), sale(3)])
  expect(verdicts.map(({ status }) => status)).toEqual(['duplicate', 'duplicate', 'accepted'])
})

test('When there is no store yet, or the copy would replace a file, then that is said and nothing is written', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'store.db')
  await expect(backUp(`file:${path}`, join(folder.path, 'copy.db'))).rejects.toThrow('to back up yet')
  await using storage = await openFile(path)
  await expect(backUp(`file:${path}`, path)).rejects.toThrow('is there already')
  expect(await storage.events({ limit: 1 })).toEqual([])
})

test('When a backup is stopped, then nothing of the copy is left, and another one can be made there', async () => {
  using folder = temporaryFolder()
  const [path, copy] = [join(folder.path, 'store.db'), join(folder.path, 'copy.db')]
  await using storage = await openFile(path)
  await storage.accept([sale(1)])
  const stopping = new AbortController()
  const stopped = backUp(`file:${path}`, copy, { signal: stopping.signal })
  stopping.abort(new Error('Ctrl-C'))
  await expect(stopped).rejects.toThrow('Ctrl-C')
  expect(existsSync(copy)).toBe(false)
  await backUp(`file:${path}`, copy)
  expect(existsSync(copy)).toBe(true)
})

test('a backup that is killed leaves nothing under its name, and says so to the next one', async () => {
  using folder = temporaryFolder()
  const [path, copy] = [join(folder.path, 'store.db'), join(folder.path, 'copy.db')]
  await using storage = await openFile(path)
  await storage.accept([sale(1)])
  const script = `import { backUp } from ${JSON.stringify(new URL('../../src/storage/backup.ts', import.meta.url).href)}
    void backUp(${JSON.stringify(`file:${path}`)}, ${JSON.stringify(copy)})
    process.kill(process.pid, 'SIGKILL')`
  const killed = spawnSync(process.execPath, ['--input-type=module', '--eval', script])
  expect(killed.signal).toBe('SIGKILL')
  expect(existsSync(copy)).toBe(false)
  expect(existsSync(`${copy}.partial`)).toBe(true)
  await expect(backUp(`file:${path}`, copy)).rejects.toThrow('was killed: delete it')
  rmSync(`${copy}.partial`)
  await backUp(`file:${path}`, copy)
  expect(readdirSync(folder.path).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db'])
  await using restored = await openFile(copy)
  expect(await restored.events({ limit: 10 })).toHaveLength(1)
})

test('When store.url names what is no database, then a backup says that of it, and leaves no copy', async () => {
  using folder = temporaryFolder()
  const [path, copy] = [join(folder.path, 'store.db'), join(folder.path, 'copy.db')]
  writeFileSync(path, 'Some other file, of more than the hundred bytes that a database begins with. '.repeat(20))
  await expect(backUp(`file:${path}`, copy)).rejects.toThrow(
    new UserError(`There is nothing sound to copy: ${path} is not a database.`),
  )
  expect(existsSync(copy)).toBe(false)
})
