import { folded } from '../../domain/values/text.ts'
import type { Thread } from '../../lib/thread.ts'
import { type Pages, type PersonalTableName, type Scrubbed, searchRows } from '../personal-places.ts'
import { runProcess } from './file/child.ts'
import type { ByteFinds } from './file/process.ts'
import { ask } from './pipe.ts'

/** VACUUM at once up to this size (bytes): writes wait (docs/adr/0019-a-person-erased.md). */
const SMALL = 64 * 1024 * 1024
const COPIES = 2

const REST = 50
const TRIES = 40

const NOT_PROMISED =
  'What the disk itself keeps of overwritten bytes (its own copies, snapshots of the file system) is not the store’s to answer for.'

const TONIGHT =
  'The bytes in which something was found may be of no row any more. They go when the job retention rewrites the file tonight; "tillbridge retention run" does it at once (webhooks wait meanwhile).'

/** Searches rows and bytes for remains of a data subject, and rewrites the file. */
export function createScrubbing(thread: Thread, path: string, pages: Pages) {
  return { searchRest, scrub, scrubSecrets, purgeDue }

  async function searchRest(texts: readonly string[], places?: readonly PersonalTableName[]): Promise<Scrubbed> {
    const { searched, found, warnings } = await search(texts, places)
    return { searched, found, warnings }
  }

  async function scrub(texts: readonly string[], places?: readonly PersonalTableName[]): Promise<Scrubbed> {
    const { inBytes, ...first } = await search(texts, places)
    if (inBytes === 0) return first
    if (!(await purge(SMALL))) return { ...first, warnings: [...first.warnings, TONIGHT] }
    const again = await searchBytes(texts)
    return { ...first, found: first.found - inBytes + again.found }
  }

  async function scrubSecrets(
    rewrite: () => Promise<unknown>,
    secrets: readonly string[],
    place: PersonalTableName,
  ): Promise<Scrubbed> {
    const wasDue = await askWriter<boolean>('purge-due')
    await askWriter('note-purge', 1)
    await rewrite()
    const scrubbed = await scrub(secrets, [place])
    if (!wasDue && scrubbed.found === 0) await askWriter('note-purge', 0)
    return scrubbed
  }

  /** Only payloads are compressed; other rows are found in the bytes. */
  async function search(texts: readonly string[], places?: readonly PersonalTableName[]) {
    const isEmpty = await emptied()
    const [bytes, payloads] = await Promise.all([
      searchBytes(texts),
      searchRows(pages, places === undefined ? ['payloads'] : [], texts),
    ])
    const warnings = [NOT_PROMISED, ...payloads.warnings]
    if (!isEmpty) warnings.push('The WAL could not be emptied: somebody reads from it. Run the command again.')
    const searched = [...bytes.searched, ...payloads.searched]
    return { searched, found: bytes.found + payloads.found, inBytes: bytes.found, warnings }
  }

  async function searchBytes(texts: readonly string[]): Promise<Pick<Scrubbed, 'searched' | 'found'>> {
    const all = [...new Set(texts.map(folded))]
    const longest = all.filter((text) => !all.some((other) => isWithin(other, text)))
    const result = await runProcess('search', [path, longest])
    if ('error' in result) throw new Error(result.error.message)
    const finds = result.value as ByteFinds[]
    return {
      searched: finds.map(({ what, bytes }) => ({ what, bytes })),
      found: finds.reduce((sum, { found }) => sum + found, 0),
    }
  }

  async function purge(most: number): Promise<boolean> {
    if (!((await askWriter<boolean>('purge', most)) && (await emptied()))) return false
    await askWriter('note-purge', 0)
    return true
  }

  async function purgeDue(room: number | null): Promise<boolean | null> {
    if (!(await askWriter<boolean>('purge-due'))) return null
    return await purge(room === null ? Number.MAX_SAFE_INTEGER : room / COPIES)
  }

  async function emptied(): Promise<boolean> {
    for (let tried = 0; tried < TRIES; tried++) {
      if (await askWriter<boolean>('empty-wal')) return true
      await new Promise((resolve) => setTimeout(resolve, REST))
    }
    return false
  }

  function askWriter<T>(method: string, ...args: unknown[]): Promise<T> {
    return ask(thread, path, method, args)
  }
}

/** Digits alone are searched as a number of their own. */
function isWithin(shorter: string, text: string): boolean {
  return shorter.length < text.length && text.includes(shorter) && !/^\d+$/.test(shorter)
}
