import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestHub } from '../hub.ts'
import { temporaryFolder } from '../storage/sqlite/file.ts'

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
