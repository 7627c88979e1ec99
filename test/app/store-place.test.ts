import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UserError } from '../../src/domain/values/errors.ts'
import { narrowRights } from '../../src/storage/disk.ts'
import { openStorage } from '../../src/storage/open.ts'
import { tillbridge } from '../cli/run.ts'
import { createFolder, startTestHub } from '../hub.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'
import { startedWith, writtenConfig } from './written.ts'

test('When a hub makes its store at start, then the log says where, since the disk of another may not be mounted; the next start finds it', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'data', 'hub.db')
  const start = () => startTestHub({ folder: folder.path, config: { store: { url: `file:${file}` } } })
  const made = async () => {
    await using hub = await start()
    return hub.lines.filter(({ msg }) => msg === 'store.made').map((line) => line.file)
  }
  expect([await made(), await made()]).toEqual([[file], []])
})

/** What check and a start say of a place that config gives the store. */
async function refusalOf(place: (folder: string) => string) {
  await using config = await writtenConfig()
  const url = `file:${place(config.folder)}`
  await config.write({ store: `url: ${url}` })
  const checked = await tillbridge(['check'], config.env)
  const started = await startedWith(config.env)
  const opened = await openStorage(url, { sameBytesWindow: 1 }).catch((error: unknown) => error)
  return { folder: config.folder, checked, started, opened }
}

test.each([
  [
    (folder: string) => folder,
    (folder: string) => `${folder} is a folder: name the file in it, such as ${folder}/tillbridge.db`,
  ],
  [
    (folder: string) => `${folder}/data/`,
    (folder: string) => `${folder}/data is a folder: name the file in it, such as ${folder}/data/tillbridge.db`,
  ],
  [
    (folder: string) => `${folder}/tillbridge.yaml/hub.db`,
    (folder: string) => `${folder}/tillbridge.yaml is no folder, so that no file can be in it`,
  ],
  [
    (folder: string) => `${folder}/tillbridge.yaml/data/hub.db`,
    (folder: string) => `${folder}/tillbridge.yaml is no folder, so that no file can be in it`,
  ],
])(
  'When store.url names a place that no store can have (%#), then check and a start say so, with its line',
  async (place, says) => {
    const { folder, checked, started, opened } = await refusalOf(place)
    expect(checked).toMatchObject({ code: 2, out: '' })
    expect(checked.err).toMatch(/tillbridge\.yaml:6 store\.url: found/)
    expect(checked.err).toContain(says(folder))
    expect(started).toBe(checked.err.trimEnd())
    expect(opened).toBeInstanceOf(UserError)
    expect(String(opened)).toContain(`store.url: ${says(folder)}`)
    expect(existsSync(join(folder, 'data'))).toBe(false)
  },
)

test('When store.url names what is no database, then a start says so, and what to do; the file is left as it is', async () => {
  await using config = await writtenConfig()
  const path = join(config.folder, 'hub.db')
  const minutes = 'These are the minutes of the meeting. '.repeat(100)
  writeFileSync(path, minutes)
  chmodSync(path, 0o644)
  const todo = 'Put a backup in its place, or have store.url name another file: one that is not there is made'
  expect(await startedWith(config.env)).toBe(`${path} is not a database. ${todo}.`)
  await expect(openStorage(`file:${path}`, { sameBytesWindow: 1 })).rejects.toThrow(UserError)
  expect(statSync(path).size).toBe(minutes.length)
  expect(statSync(path).mode & 0o777).toBe(0o644)
})

test('When a store cannot be where it is said to be, then nobody loses the rights that they have there', async () => {
  await using folder = await createFolder()
  const data = join(folder.path, 'data')
  mkdirSync(data)
  chmodSync(data, 0o755)
  const reported: unknown[] = []
  narrowRights(`file:${data}`, (file) => reported.push(file))
  expect(reported).toEqual([])
  expect(statSync(data).mode & 0o777).toBe(0o755)
})
