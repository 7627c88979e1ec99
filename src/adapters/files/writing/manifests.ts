import { randomUUID } from 'node:crypto'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { FilesError } from '../../../folders/files-error.ts'
import type { Files } from '../../../folders/transport.ts'
import { HIDDEN, KEYS, manifestName, NAMES, tagOf, WORK } from './layout.ts'
import type { Manifest } from './manifest.ts'

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
