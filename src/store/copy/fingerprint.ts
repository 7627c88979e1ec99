import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { migrationCount } from '../postgres/server/migrate.ts'

/** A file as it was when it was copied. */
export interface Fingerprint {
  path: string
  /** Of every byte: SQLite's own counters do not tell of every commit, and times of files can be set. But see `COUNTED`. */
  hash: string
}

/** Changes where rows are read, cut or encoded in another way: then slices of before do not go with those of now. */
const FORM = 1

/** Where a file counts its commits: also those that change nothing, of which each opening makes one (source.ts). From, up to. */
const COUNTED = [
  [24, 28],
  [92, 96],
] as const

const PIECE = 4 * 1024 * 1024

/** Takes the fingerprint of a file that nobody writes to. A log beside it has what is not in the file yet. */
export async function takeFingerprint(path: string, told: (done: number, of: number) => void): Promise<Fingerprint> {
  const files = [path, `${path}-wal`].filter((file) => existsSync(file)).map((file) => openSync(file, 'r'))
  try {
    const sha = createHash('sha256').update(JSON.stringify({ form: FORM, migrations: migrationCount() }))
    const of = files.reduce((sum, file) => sum + fstatSync(file).size, 0)
    const piece = Buffer.allocUnsafe(PIECE)
    let done = 0
    for (const file of files)
      for (;;) {
        const read = readSync(file, piece)
        if (read === 0) break
        if (done === 0) for (const [from, to] of COUNTED) piece.fill(0, from, to)
        sha.update(piece.subarray(0, read))
        done += read
        told(done, of)
      }
    return { path, hash: sha.digest('hex') }
  } finally {
    for (const file of files) closeSync(file)
  }
}
