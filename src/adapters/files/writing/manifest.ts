import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { type Files, FilesError, isTrouble, readAll } from '../transport.ts'
import { HIDDEN, KEYS, manifestName, NAMES, tagOf, WORK } from './layout.ts'

/** The list of all that a file holds. As soon as the manifest is there, the file counts as written. */
const Manifest = z.object({
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

export function dayOf(instant: Instant): string {
  return formatInstant(instant).slice(0, 10)
}

export type Manifests = ReturnType<typeof createManifests>

/** Writes manifests, and makes the folders that they and the content stand in. */
export function createManifests(now: () => Instant) {
  const made = new Set<string>()

  async function make(files: Files, folder: string, within: string): Promise<void> {
    if (made.has(folder)) return
    await files.makeFolder(folder)
    await files.sync(within)
    made.add(folder)
  }

  return {
    /** Makes sure that the hidden folders are there. */
    async prepare(files: Files): Promise<void> {
      if (made.has(KEYS)) return
      if ((await files.stat('')) === null)
        throw new FilesError('missing', 'is not there: make the folder, or name another.')
      await make(files, HIDDEN, '')
      await make(files, WORK, HIDDEN)
      await make(files, NAMES, HIDDEN)
      await make(files, KEYS, HIDDEN)
    },
    /** Whole or not at all. `begins` is told its path when it may be there from now on. */
    async write(files: Files, manifest: Manifest, begins: (path: string) => void): Promise<void> {
      const folder = `${KEYS}/${dayOf(now())}`
      await make(files, folder, KEYS)
      const draft = `${WORK}/${randomUUID()}`
      const path = `${folder}/${manifestName({ ...manifest, tag: tagOf(manifest.keys) })}`
      await files.create(draft, Buffer.from(JSON.stringify(manifest)))
      begins(path)
      await files.rename(draft, path)
      await files.sync(folder)
    },
    /** Somebody has removed a folder: they are looked at again. */
    forget: () => made.clear(),
  }
}

/** Whether the content is there as the manifest says. */
export async function isWhole(files: Files, { id, bytes, sha256 }: Manifest): Promise<boolean> {
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const piece of files.read(`${WORK}/${id}`)) {
      hash.update(piece)
      length += piece.byteLength
    }
  } catch (error) {
    if (isTrouble(error, 'missing')) return false
    throw error
  }
  return length === bytes && hash.digest('hex') === sha256
}
