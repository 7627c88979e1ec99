import { isTrouble } from '../../../folders/files-error.ts'
import type { Files } from '../../../folders/transport.ts'
import { WORK } from './layout.ts'
import type { Manifest } from './manifest.ts'
import type { Manifests } from './manifests.ts'
import type { Numbering } from './numbering.ts'

/** The traces that a step which fails must know of those before it. */
export interface Trace {
  /** Manifests that may be there. */
  manifests: string[]
  /** The file is in its place: it may have been read already. */
  published: boolean
}

/**
 * Puts content whose manifest is there into its place, and gives the name it has there. It goes there in one step, so that
 * readers see it whole or not at all; the step cannot be taken twice. Where somebody has put a file of that name there
 * meanwhile, it gets the next number, with a manifest that says so.
 */
export async function publish(
  files: Files,
  manifest: Manifest,
  trace: Trace,
  { numbering, manifests }: { numbering: Numbering; manifests: Manifests },
): Promise<string> {
  let { name } = manifest
  while (!(await isMoved(files, manifest, name))) {
    name = await numbering.take(files, manifest.base, manifest.extension)
    await manifests.write(files, { ...manifest, name }, (path) => trace.manifests.push(path))
  }
  trace.published = true
  await files.sync('')
  await files.sync(WORK)
  return name
}

/** Whether content has left the folder of work: then it was put into its place, and nobody else takes it away from there. */
export async function isPublished(files: Files, { id }: Pick<Manifest, 'id'>): Promise<boolean> {
  return (await files.stat(`${WORK}/${id}`)) === null && (await files.stat(WORK)) !== null
}

/** False: the name is somebody else's. */
async function isMoved(files: Files, manifest: Manifest, name: string): Promise<boolean> {
  if ((await files.stat(name)) !== null) return await isPublished(files, manifest)
  try {
    await files.rename(`${WORK}/${manifest.id}`, name)
    return true
  } catch (error) {
    if (isTrouble(error, 'exists')) return false
    // Somebody who looked for one of its keys has done it.
    if (isTrouble(error, 'missing') && (await isPublished(files, manifest))) return true
    throw error
  }
}
