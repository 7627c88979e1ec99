import { createHash } from 'node:crypto'
import { z } from 'zod'
import { FilesError } from '../../../folders/files-error.ts'
import { type Files, readAll } from '../../../folders/transport.ts'

/** The list of all that a file holds. As soon as the manifest is there, the file counts as written. */
export const Manifest = z.object({
  /** The name of the file in the end. */
  name: z.string().min(1),
  /** The same without number and extension, and the extension: for another number. */
  base: z.string().min(1),
  extension: z.string().min(1),
  /** The id of the content in the folder of work, for as long as the file is not in its place. */
  id: z.string().min(1),
  bytes: z.int(),
  sha256: z.string(),
  /** The keys of its records. */
  keys: z.array(z.string()),
})
export type Manifest = z.output<typeof Manifest>

/** The content that is about to be written. */
export interface Content {
  /** The name of the file, without number and extension. */
  base: string
  extension: string
  bytes: Uint8Array
  /** The keys of its records. */
  keys: readonly string[]
}

export function manifestOf({ base, extension, bytes, keys }: Content, id: string, name: string): Manifest {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { name, base, extension, id, bytes: bytes.byteLength, sha256, keys: [...keys] }
}

/** Null: it is not there any more, or is no manifest. */
export async function readManifest(files: Pick<Files, 'read'>, path: string): Promise<Manifest | null> {
  try {
    return Manifest.parse(JSON.parse(await readAll(files, path)))
  } catch (error) {
    if (error instanceof FilesError && error.trouble !== 'missing') throw error
    return null
  }
}
