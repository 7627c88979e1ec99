import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { fileSink, streamSink } from '../../../src/cli/export/sink.ts'
import { temporaryFolder } from '../../store/sqlite/file.ts'

const HOSTILE = 'a;\u001b[2J\u202eb\n'

test('When rows are exported to a file, then its owner alone may read it, and it has them as they are', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'sales.csv')
  const umask = process.umask(0o022)
  try {
    await using sink = await fileSink(path, false)
    await sink.write(HOSTILE)
    await sink.done()
  } finally {
    process.umask(umask)
  }
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toBe(HOSTILE)
})

test.each([
  [true, 'a;\ufffd[2J\ufffdb\n'],
  [false, HOSTILE],
])(
  'When they are written to standard output, a terminal or not (%s), then only a terminal is spared',
  async (isTTY, written) => {
    const stream = Object.assign(new PassThrough(), { isTTY })
    await using sink = streamSink(stream as unknown as NodeJS.WriteStream)
    await sink.write(HOSTILE)
    await sink.done()
    expect(String(stream.read())).toBe(written)
  },
)
