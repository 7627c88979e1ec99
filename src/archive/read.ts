import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { type Files, isFault, readBytes } from '../folders/transport.ts'
import type { ArchivedFile } from './manifest.ts'

export const ArchivedEvent = z.looseObject({
  id: z.number(),
  kind: z.string(),
  receivedAt: z.number(),
  identity: z.string().nullable(),
  transportKey: z.string().nullable(),
  /** base64 where the bytes are no UTF-8. Null: none. */
  body: z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })]).nullable(),
})

export type ArchivedEvent = z.output<typeof ArchivedEvent>

const decompress = promisify(zstdDecompress)

/** Throws a UserError where the file is missing or not what was written. */
export async function readArchived(files: Files, { file, sha256 }: ArchivedFile): Promise<ArchivedEvent[]> {
  const body = await readBytes(files, file).catch((error: unknown) => {
    if (!isFault(error, 'missing')) throw error
    throw new UserError(`${file} is not in the archive, and the manifest names it: bring it back from a backup.`, {
      cause: error,
    })
  })
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    throw new UserError(`${file} of the archive is not what was written (SHA-256): bring it back from a backup.`)
  const lines = (await decompress(body)).toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => ArchivedEvent.parse(JSON.parse(line)))
}

export function archivedBody({ body }: ArchivedEvent): Buffer | null {
  if (body === null) return null
  return 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64')
}

interface Met {
  last: number
  ids: Set<number>
}

/** Tells events met for the first time: runs that were cut off have archived some twice. Files come oldest first, so that only overlapping ones are remembered. */
export function createOnce(): (file: Pick<ArchivedFile, 'file' | 'kind' | 'first' | 'last'>, id: number) => boolean {
  const met = new Map<string, Map<string, Met>>()

  return ({ file, kind, first, last }, id) => {
    const files = met.get(kind) ?? new Map<string, Met>()
    met.set(kind, files)
    const own = files.get(file) ?? { last, ids: new Set() }
    if (own.ids.size === 0) {
      for (const [name, one] of files) if (one.last < first) files.delete(name)
      files.set(file, own)
    }
    for (const { ids } of files.values()) if (ids.has(id)) return false
    own.ids.add(id)
    return true
  }
}
