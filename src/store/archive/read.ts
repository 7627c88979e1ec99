import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { UserError } from '../../domain/values/errors.ts'
import { ArchivedEvent, ArchivedFile, MANIFEST } from './manifest.ts'

const decompress = promisify(zstdDecompress)

/** The files of an archive; of a file that was written twice, as it is now. Throws a UserError where there is no archive. */
export async function readManifest(folder: string): Promise<ArchivedFile[]> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: unknown) => {
    throw new UserError(`There is no archive in ${folder} yet (retention.archive.folder).`, { cause: error })
  })
  // A line that was cut off names a file whose events are still in the store, and come again.
  const files = text.split('\n').flatMap((line) => parsed(ArchivedFile, line) ?? [])
  return [...new Map(files.map((one) => [one.file, one])).values()]
}

/** The events of a file, in their order. Throws a UserError where it is not there, or is not what was written. */
export async function readArchived(folder: string, { file, sha256 }: ArchivedFile): Promise<ArchivedEvent[]> {
  const path = join(folder, file)
  const body = await readFile(path).catch((error: unknown) => {
    throw new UserError(`${path} is not there, and the manifest names it: bring it back from a backup.`, {
      cause: error,
    })
  })
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    throw new UserError(`${path} is not what was written (SHA-256): bring it back from a backup.`)
  const text = (await decompress(body)).toString('utf8')
  return text.split('\n').flatMap((line) => parsed(ArchivedEvent, line) ?? [])
}

/** The body as it came; null: none was kept. */
export function archivedBody({ body }: ArchivedEvent): Buffer | null {
  if (body === null) return null
  return 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64')
}

function parsed<T>(shape: { safeParse(value: unknown): { success: boolean; data?: T } }, line: string): T | null {
  try {
    return shape.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}
