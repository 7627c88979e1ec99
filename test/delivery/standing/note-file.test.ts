import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { noteFile } from '../../../src/delivery/standing/note-file.ts'
import { createFolder } from '../../folder.ts'

test('when the store is a file, then the note is beside it', () => {
  expect(noteFile('/data/hub.db', '/etc/tillbridge', 3000)).toBe('/data/hub.db.standing.json')
})

test('when the store is a server’s, then the note is in the folder of the config, by the port', async () => {
  await using folder = await createFolder()
  expect(noteFile(null, folder.path, 3000)).toBe(`${folder.path}/tillbridge-3000.standing.json`)
})

test('when nobody may write there, then it is in the system’s folder, and hubs of other folders have other ones', () => {
  const [one, other] = ['/nowhere/one', '/nowhere/other'].map((folder) => noteFile(null, folder, 3000))
  expect([dirname(one ?? ''), dirname(other ?? '')]).toEqual([tmpdir(), tmpdir()])
  expect(one).toMatch(/-tillbridge-3000\.standing\.json$/)
  expect(one).not.toBe(other)
})
