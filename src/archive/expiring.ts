import { randomUUID } from 'node:crypto'
import type { Instant } from '../domain/values/instant.ts'
import type { Files } from '../folders/transport.ts'
import { type ArchivedFile, MANIFEST, pageOf, REWRITTEN, readPages } from './manifest.ts'
import { createFolders } from './names.ts'

/** The instant at which a file of an archive goes. */
export function expiryOf({ month }: Pick<ArchivedFile, 'month'>, keep: number): Instant {
  const [year = 0, number = 1] = month.split('-').map(Number)
  // Months begin with 0 there: this is the first day of the next one.
  return Date.UTC(year, number) + keep
}

/** The files whose time is over, but for those with events under a legal hold. */
export function expiredOf(
  all: readonly ArchivedFile[],
  keep: number,
  held: readonly number[],
  now: Instant,
): ArchivedFile[] {
  const isHeld = ({ first, last }: ArchivedFile) => held.some((event) => first <= event && event <= last)
  return all.filter((file) => expiryOf(file, keep) <= now && !isHeld(file))
}

/** Takes files away, and their lines in the manifest after them: a run that is cut off finds the lines again. */
export async function dropArchived(files: Files, gone: readonly ArchivedFile[]): Promise<void> {
  if (gone.length === 0) return
  const names = new Set(gone.map(({ file }) => file))
  let standing = await readPages(files)
  for (const page of standing) {
    if (!page.files.some(({ file }) => names.has(file))) continue
    standing = standing.filter((one) => one !== page)
    // A run that was cut off may have written the page of what is left.
    const elsewhere = new Set(standing.flatMap((one) => one.files.map(({ file }) => file)))
    const left = page.files.filter(({ file }) => !names.has(file) && !elsewhere.has(file))
    if (left.length > 0) await writePage(files, left)
    for (const { file } of page.files) if (names.has(file)) await files.remove(file)
    await files.remove(page.path)
  }
}

/** A page for what is left of another, which still stands beside it: the same line twice is one. */
async function writePage(files: Files, left: readonly ArchivedFile[]): Promise<void> {
  const path = `${MANIFEST}/${left[0]?.month}.${randomUUID().slice(0, 8)}.ndjson`
  await createFolders(files)(MANIFEST)
  await files.create(path + REWRITTEN, pageOf(left))
  await files.rename(path + REWRITTEN, path)
  await files.sync(MANIFEST)
}
