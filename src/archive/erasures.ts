import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { atOnce, type Files, isTrouble, readAll } from '../folders/transport.ts'
import { createFolders, namesIn } from './manifest.ts'

/** A person who was forgotten after files were written: nothing of the person is in it without the secret of the store. */
const ArchivedErasure = z.object({
  pseudonym: z.string(),
  at: z.string(),
  /** What the person was told by, as in a proof (admin/people/proof.ts). */
  keys: z.array(z.string()),
})

export type ArchivedErasure = z.output<typeof ArchivedErasure>

/** Its folder in the archive: a file an erasure, so that nothing is lost where two are noted at once. */
const ERASURES = 'erasures'

/** How many are read at once. */
const AT_ONCE = 16

/** Adds an erasure to an archive: what is read from it from now on says nothing of that person. On disk when it resolves. */
export async function noteErasure(files: Files, erasure: ArchivedErasure): Promise<void> {
  await createFolders(files)(ERASURES)
  const path = `${ERASURES}/${erasure.pseudonym}.json`
  const beside = `${path}.part`
  await files.remove(beside)
  await files.create(beside, Buffer.from(`${JSON.stringify(erasure)}\n`))
  await files.rename(beside, path).catch(async (error: unknown) => {
    // An erasure that is repeated on a backup was noted before, and not every server puts a file in the place of another.
    if (!isTrouble(error, 'exists')) throw error
    await files.remove(path)
    await files.rename(beside, path)
  })
  await files.sync(ERASURES)
}

/** Files of the erasures that an archive knows of. */
export async function erasuresIn(files: Files): Promise<string[]> {
  const names = (await namesIn(files, ERASURES)).filter((name) => name.endsWith('.json'))
  return names.map((name) => `${ERASURES}/${name}`)
}

/**
 * The erasures that an archive knows of, the oldest first. `known`: by their files, those that were read before.
 * Throws where one cannot be read: whom it names is not known then.
 */
export async function readErasures(
  files: Files,
  known: Map<string, ArchivedErasure> = new Map(),
): Promise<ArchivedErasure[]> {
  const paths = await erasuresIn(files)
  const news = paths.filter((path) => !known.has(path))
  await atOnce(AT_ONCE, news, async (path) => known.set(path, erasureOf(path, await readAll(files, path))))
  return paths.flatMap((path) => known.get(path) ?? []).sort((a, b) => (a.at < b.at ? -1 : 1))
}

function erasureOf(path: string, text: string): ArchivedErasure {
  try {
    return ArchivedErasure.parse(JSON.parse(text))
  } catch (error) {
    throw new UserError(`${path} of the archive is damaged: bring it back from a backup.`, { cause: error })
  }
}
