import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readNote, writeNote } from '../../../src/delivery/standing/note.ts'
import { createFolder } from '../../folder.ts'

const NOTHING = { certain: [], suspects: [] }

async function given() {
  const folder = await createFolder()
  const path = join(folder.path, 'hub.standing.json')
  return { folder, path }
}

test('When a note is written, then the next process reads the same, nobody else may, and nothing is left beside it', async () => {
  const { folder, path } = await given()
  await using _ = folder
  const note = { certain: [{ delivery: 5, ms: 4_200 }], suspects: [7, 8] }
  for (const one of [note, { certain: [], suspects: [7] }, { certain: note.certain, suspects: [] }]) {
    writeNote(path, one)
    expect(readNote(path)).toEqual(one)
  }
  expect(await readdir(folder.path)).toEqual(['hub.standing.json'])
  expect(statSync(path).mode & 0o077).toBe(0)
})

test('When a note says nothing any more, then it is taken away; where there was none, that is no trouble', async () => {
  const { folder, path } = await given()
  await using _ = folder
  writeNote(path, { certain: [], suspects: [7] })
  writeNote(path, NOTHING)
  writeNote(path, NOTHING)
  expect(existsSync(path)).toBe(false)
})

test('When it cannot be put in its place, then whoever writes it is told, and no file of it stays open', async () => {
  const { folder, path } = await given()
  await using _ = folder
  await mkdir(path)
  const open = async () => (await readdir('/proc/self/fd').catch(() => [])).length
  expect(() => writeNote(path, { certain: [], suspects: [7] })).toThrow()
  const before = await open()
  for (let no = 0; no < 20; no += 1) expect(() => writeNote(path, { certain: [], suspects: [7] })).toThrow()
  expect(await open()).toBeLessThan(before + 10)
})

test('When there is none, or nobody can read it, then nothing is known', async () => {
  const { folder, path } = await given()
  await using _ = folder
  expect(readNote(path)).toEqual(NOTHING)
  for (const text of ['', 'null', '[]', '{"certain":{},"suspects":7}', '{"certain":[{"delivery":5,"ms":1}']) {
    await writeFile(path, text)
    expect(readNote(path)).toEqual(NOTHING)
  }
})

test('When some of it is garbled, then the rest counts', async () => {
  const { folder, path } = await given()
  await using _ = folder
  const certain = [
    null,
    {},
    { delivery: 5 },
    { delivery: 0, ms: 1 },
    { delivery: '6', ms: 1 },
    { delivery: 7, ms: 2 },
    { delivery: 8, ms: '1' },
  ]
  await writeFile(path, JSON.stringify({ certain, suspects: [1, 0, -1, 1.5, '2', null, 3] }))
  expect(readNote(path)).toEqual({ certain: [{ delivery: 7, ms: 2 }], suspects: [1, 3] })
  await writeFile(path, JSON.stringify({ suspects: [3] }))
  expect(readNote(path)).toEqual({ certain: [], suspects: [3] })
})
