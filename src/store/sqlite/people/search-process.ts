import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { foldBytes } from '../../../domain/values/text.ts'
import { countTexts } from '../../people/count-texts.ts'
import { failure } from '../../serve.ts'

/*
 * Searches the bytes of a SQLite file and its WAL for texts. It is a process of its own: a process that closes a file loses all its locks on
 * it, those of its database with them.
 */

/** `texts`: folded. */
export interface ByteSearch {
  path: string
  texts: readonly string[]
}

/** How many bytes a file has, and how often one of the texts was found in them. */
export interface ByteFinds {
  what: string
  bytes: number
  found: number
}

const CHUNK = 16 * 1024 * 1024

process.once('message', (asked: ByteSearch) => {
  void search(asked)
    .then((value) => ({ value }))
    .catch(failure)
    .then((result) => process.send?.(result, () => process.disconnect()))
})

// Whoever asked has gone.
process.once('disconnect', () => process.exit())

async function search({ path, texts }: ByteSearch): Promise<ByteFinds[]> {
  const finds: ByteFinds[] = []
  const wanted = texts.map((text) => Buffer.from(text))
  for (const [what, file] of [
    ['store', path],
    ['wal', `${path}-wal`],
  ] as const)
    if (existsSync(file)) finds.push({ what, ...(await searchFile(file, wanted)) })
  return finds
}

async function searchFile(file: string, texts: readonly Buffer[]): Promise<{ bytes: number; found: number }> {
  // A text may reach out of a chunk, and the byte beside it tells if it stands alone.
  const overlap = texts.reduce((most, { length }) => Math.max(most, length), 0) + 1
  await using handle = await open(file, 'r')
  const buffer = Buffer.alloc(overlap + CHUNK + overlap)
  let found = 0
  for (let from = 0; ; from += CHUNK) {
    const before = Math.min(from, overlap)
    const size = before + CHUNK + overlap
    const { bytesRead } = await handle.read(buffer, 0, size, from - before)
    const bytes = foldBytes(buffer.subarray(0, bytesRead))
    // A text that begins in the overlap is found by the next chunk.
    found += countTexts(bytes, texts, before, before + CHUNK)
    if (bytesRead <= before + CHUNK) return { bytes: from - before + bytesRead, found }
  }
}
