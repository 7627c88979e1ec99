import { z } from 'zod'
import { UserError } from '../domain/values/errors.ts'
import { type Files, isFault, mapConcurrently, readAll } from '../folders/transport.ts'
import { createFolders, namesIn } from './manifest.ts'

/** A data subject erased after files were written. It tells nothing of them without the secret of the storage. */
const ArchivedErasure = z.object({
  pseudonym: z.string(),
  at: z.string(),
  /** As in a proof (admin/people/proof.ts). */
  keys: z.array(z.string()),
})

export type ArchivedErasure = z.output<typeof ArchivedErasure>

/** A file an erasure: nothing is lost where two are noted at once. */
const ERASURES = 'erasures'

const CONCURRENCY = 16

/** Notes an erasure: what is read from now on says nothing of that data subject. Resolves when on disk. */
export async function noteErasure(files: Files, erasure: ArchivedErasure): Promise<void> {
  await createFolders(files)(ERASURES)
  const path = `${ERASURES}/${erasure.pseudonym}.json`
  const beside = `${path}.part`
  await files.remove(beside)
  await files.create(beside, Buffer.from(`${JSON.stringify(erasure)}\n`))
  await files.rename(beside, path).catch(async (error: unknown) => {
    // A backup may repeat an erasure, and not every server renames over a file.
    if (!isFault(error, 'exists')) throw error
    await files.remove(path)
    await files.rename(beside, path)
  })
  await files.sync(ERASURES)
}

export async function erasuresIn(files: Files): Promise<string[]> {
  const names = (await namesIn(files, ERASURES)).filter((name) => name.endsWith('.json'))
  return names.map((name) => `${ERASURES}/${name}`)
}

/** All erasures, oldest first. `known`: read before, by file. Throws a UserError for a damaged file. */
export async function readErasures(
  files: Files,
  known: Map<string, ArchivedErasure> = new Map(),
): Promise<ArchivedErasure[]> {
  const paths = await erasuresIn(files)
  const news = paths.filter((path) => !known.has(path))
  await mapConcurrently(CONCURRENCY, news, async (path) => known.set(path, erasureOf(path, await readAll(files, path))))
  return paths.flatMap((path) => known.get(path) ?? []).sort((a, b) => (a.at < b.at ? -1 : 1))
}

function erasureOf(path: string, text: string): ArchivedErasure {
  try {
    return ArchivedErasure.parse(JSON.parse(text))
  } catch (error) {
    throw new UserError(`${path} of the archive is damaged: bring it back from a backup.`, { cause: error })
  }
}
