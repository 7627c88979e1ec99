import { open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Instant } from '../../domain/values/instant.ts'
import { type ArchivedFile, MANIFEST } from './manifest.ts'
import { readManifest } from './read.ts'

/** An archive, and how long a file of it is kept after the month that its events are of (milliseconds). */
export interface ArchiveConfig {
  folder: string
  keep: number
}

/** The instant at which a file of an archive goes. */
export function expiryOf({ month }: Pick<ArchivedFile, 'month'>, keep: number): Instant {
  const [year = 0, number = 1] = month.split('-').map(Number)
  // Months begin with 0 there: this is the first day of the next one.
  return Date.UTC(year, number) + keep
}

/** The files whose time is over, but for those with events under a legal hold. None where there is no archive yet. */
export async function expiredFiles(
  { folder, keep }: ArchiveConfig,
  held: readonly number[],
  now: Instant,
): Promise<ArchivedFile[]> {
  const files = await readManifest(folder).catch(() => [])
  const isHeld = ({ first, last }: ArchivedFile) => held.some((event) => first <= event && event <= last)
  return files.filter((file) => expiryOf(file, keep) <= now && !isHeld(file))
}

/** Takes files away, and their lines in the manifest after them: a run that is cut off finds the lines again. */
export async function dropArchived(folder: string, gone: readonly ArchivedFile[]): Promise<void> {
  if (gone.length === 0) return
  for (const { file } of gone)
    await unlink(join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  const names = new Set(gone.map(({ file }) => file))
  const left = (await readManifest(folder)).filter(({ file }) => !names.has(file))
  const beside = join(folder, `${MANIFEST}.part`)
  const handle = await open(beside, 'w', 0o600)
  try {
    await handle.writeFile(left.map((one) => `${JSON.stringify(one)}\n`).join(''))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(beside, join(folder, MANIFEST))
}
