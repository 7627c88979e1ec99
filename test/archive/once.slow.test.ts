import { expect, test } from 'vitest'
import { createArchiveWriter, createOnce, openArchive, readArchived, readManifest } from '../../src/archive/archive.ts'
import { openPlace } from './kit.ts'

function fileOf(first: number, last: number, { kind = 'SaleCreated', run = 'a' } = {}) {
  return { file: `${kind}/${first}-${last}.${run}.ndjson.zst`, kind, first, last }
}

/** The events that are met for the first time, of all these files with all their events, oldest first. */
function met(files: readonly ReturnType<typeof fileOf>[]): number[] {
  const isFirst = createOnce()
  return files.flatMap((file) => {
    const ids = Array.from({ length: file.last - file.first + 1 }, (_, index) => file.first + index)
    return ids.filter((id) => isFirst(file, id))
  })
}

test('When a run was cut off and the next one has kept the same events again, then each is met once', () => {
  const files = [fileOf(1, 4), fileOf(1, 6, { run: 'b' }), fileOf(5, 8), fileOf(7, 9, { run: 'b' }), fileOf(20, 21)]
  expect(met(files)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21])
})

test('When files of two kinds lie among each other, then neither is erased for the other', () => {
  const files = [fileOf(1, 2), fileOf(1, 2, { run: 'b' }), fileOf(3, 4, { kind: 'Other' })]
  expect(met([...files, fileOf(3, 4, { kind: 'Other', run: 'b' })])).toEqual([1, 2, 3, 4])
})

test('When an archive has more events than a set can hold, then they can be gone through all the same', () => {
  const isFirst = createOnce()
  const [each, files] = [100_000, 170]
  let count = 0
  for (let begin = 0; begin < files * each; begin += each) {
    const file = fileOf(begin, begin + each - 1)
    for (let id = begin; id < begin + each; id++) if (isFirst(file, id)) count += 1
  }
  // A set takes 16,777,216.
  expect(count).toBe(17_000_000)
})

test('When a kind has a name that no folder can have, then its events lie in the archive beside all others', async () => {
  await using place = await openPlace('folder')
  await using archive = openArchive({ ...place.options, keep: 1 })
  const kinds = ['Å'.repeat(300), `${'Å'.repeat(300)}!`, 'SaleCreated']
  const rest = { receivedAt: Date.parse('2026-10-30T12:00:00Z'), identity: null, transportKey: null }
  await archive.use(new AbortController().signal, async (files) => {
    const writer = createArchiveWriter(files)
    for (const [nth, kind] of kinds.entries()) await writer.add({ ...rest, id: nth + 1, kind, body: Buffer.from('{}') })
    await writer.end()
    const all = await readManifest(files)
    const read = await Promise.all(all.map(async (file) => (await readArchived(files, file)).map(({ kind }) => kind)))
    expect(read.flat()).toEqual(kinds)
  })
  expect(new Set(place.files().map((file) => file.split('/')[0])).size).toBe(3)
})
