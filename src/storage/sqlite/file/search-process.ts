import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { foldBytes } from '../../../domain/values/text.ts'
import { failure } from '../../../lib/thread.ts'
import { countTexts } from '../../personal-places.ts'

/* A process of its own: closing a file drops all locks of the process on it. */

export interface ByteSearch {
  path: string
  texts: readonly string[]
}

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
  const overlap = texts.reduce((most, { length }) => Math.max(most, length), 0) + 1
  await using handle = await open(file, 'r')
  const buffer = Buffer.alloc(overlap + CHUNK + overlap)
  let found = 0
  for (let from = 0; ; from += CHUNK) {
    const before = Math.min(from, overlap)
    const size = before + CHUNK + overlap
    const { bytesRead } = await handle.read(buffer, 0, size, from - before)
    const bytes = foldBytes(buffer.subarray(0, bytesRead))
    found += countTexts(bytes, texts, before, before + CHUNK)
    if (bytesRead <= before + CHUNK) return { bytes: from - before + bytesRead, found }
  }
}
