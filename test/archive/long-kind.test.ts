import { expect, test } from 'vitest'
import { openArchive } from '../../src/archive/archive.ts'
import { createArchiveWriter, readArchived } from '../../src/archive/archived-events.ts'
import { readManifest } from '../../src/archive/manifest.ts'
import { openPlace } from './kit.ts'

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
