import { fork } from 'node:child_process'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { folded } from '../../../domain/values/folded.ts'
import type { Result, Thread } from '../../../lib/thread.ts'
import type { Scrubbed } from '../../people/personal-row.ts'
import { unwrap } from '../lanes/pipe.ts'
import type { ByteFinds, ByteSearch } from './search-process.ts'

const SEARCH = fileURLToPath(new URL('./search-process.ts', import.meta.url))

/** Pages that are wiped at once: commits wait meanwhile. */
const SLICE = 500

/** Rounds of wiping and looking again: what is written meanwhile may take a page with it. */
const ROUNDS = 4

/** Between two tries to empty the WAL while somebody still reads from it (milliseconds), and how many. */
const REST = 50
const TRIES = 40

/** More processes would wait for the disk. */
const MOST_PARTS = 4

/** A smaller file is looked through by one process, which takes less time than others need to start (bytes). */
const SMALL = 32 * 1024 * 1024

const NOT_PROMISED =
  'What the disk itself keeps of overwritten bytes (its own copies, snapshots of the file system) is not the store’s to answer for.'

const BEHIND_ROWS =
  'What stands behind the ends of long rows cannot be overwritten in a file that an older version made. Stop the hub, type "tillbridge store compact", start it, and run the command again.'

/** Looks for texts in the bytes of the file and its WAL, and overwrites those that no row has any more. */
export function createScrubbing(thread: Thread, path: string) {
  return async (
    all: readonly string[],
    { packed, words }: { packed: boolean; words: readonly string[] },
  ): Promise<Scrubbed> => {
    const small = [...new Set(all.map(folded))]
    const texts = small.filter((text) => !small.some((other) => isWithin(other, text)))
    const doubts = [NOT_PROMISED]
    if (!(await emptied())) doubts.push('The WAL could not be emptied: somebody reads from it. Run the command again.')
    using searcher = startSearcher()
    const search = { path, texts, words: [...new Set(words.map(folded))] }
    const [first, ...ofBlocks] = await Promise.all([
      searcher.find(search),
      ...(packed ? findInBlocks(search, searcher) : []),
    ])
    const inBlocks = ofBlocks.reduce((sum, part) => sum + part.inBlocks, 0)
    let finds = first
    let pages = 0
    for (let round = 0; finds.pages.length > 0 && round < ROUNDS; round++) {
      const wiped = await wipe(finds.pages)
      pages += wiped
      await emptied()
      finds = await searcher.find({ ...search, pages: first.pages })
      if (wiped === 0) break
    }
    if (finds.found > 0 && finds.isOlder) doubts.push(BEHIND_ROWS)
    for (const id of ofBlocks.flatMap(({ broken }) => broken))
      doubts.push(
        `Row ${id} of payload_blocks cannot be unpacked, and was not looked through: put it back from a backup.`,
      )
    const unpacked = ofBlocks.flatMap(({ searched }) => searched).reduce((sum, { bytes }) => sum + bytes, 0)
    const searched = [...first.searched, ...(packed ? [{ what: 'packed payloads', bytes: unpacked }] : [])]
    return { searched, found: finds.found + inBlocks, pages, inRowsAlone: true, doubts }
  }

  /** Whether all of the WAL is in the file, and its bytes are gone. */
  async function emptied(): Promise<boolean> {
    return (await repeated(async () => (await ask<boolean>('empty-wal')) || null)) ?? false
  }

  /** How many pages were wiped; where somebody reads from the WAL all the while, the others are not. */
  async function wipe(pages: readonly number[]): Promise<number> {
    let wiped = 0
    for (let from = 0; from < pages.length; from += SLICE)
      wiped += (await repeated(() => ask<number | null>('wipe', pages.slice(from, from + SLICE)))) ?? 0
    return wiped
  }

  async function ask<T>(method: string, ...args: unknown[]): Promise<T> {
    const [result] = await thread.run([{ method, args }])
    return unwrap(result, path) as T
  }
}

/** The first result of an attempt that is not null; null: none of them gave any. */
async function repeated<T>(attempt: () => Promise<T | null>): Promise<T | null> {
  for (let tried = 0; tried < TRIES; tried++) {
    const result = await attempt()
    if (result !== null) return result
    await new Promise((resolve) => setTimeout(resolve, REST))
  }
  return null
}

/** Looks through packed payloads: in a small file by the process that is there, else by others beside it, as many as there are other cores. */
function findInBlocks(search: ByteSearch, searcher: ReturnType<typeof startSearcher>): Promise<ByteFinds>[] {
  if (statSync(search.path).size < SMALL) return [searcher.find({ ...search, blocks: { nth: 0, of: 1 } })]
  const of = Math.min(MOST_PARTS, Math.max(1, availableParallelism() - 1))
  return Array.from({ length: of }, async (_, nth) => {
    using own = startSearcher()
    return await own.find({ ...search, blocks: { nth, of } })
  })
}

/** Whoever looks for the shorter one finds the longer. Digits alone are looked for as a number of their own. */
function isWithin(shorter: string, text: string): boolean {
  return shorter.length < text.length && text.includes(shorter) && !/^\d+$/.test(shorter)
}

/** A process that looks for one thing after the other, and ends when it is let go. */
function startSearcher() {
  const child = fork(SEARCH, { execArgv: [] })
  const waiting: PromiseWithResolvers<ByteFinds>[] = []
  const fail = (error: Error) => {
    for (const one of waiting.splice(0)) one.reject(error)
  }
  child.on('message', (said: Result) => {
    if ('value' in said) waiting.shift()?.resolve(said.value as ByteFinds)
    else waiting.shift()?.reject(new Error(said.error.message))
  })
  child.on('error', fail)
  child.on('exit', (code) => fail(new Error(`The search for what is left ended early (${code}).`)))

  return {
    find(search: ByteSearch): Promise<ByteFinds> {
      const one = Promise.withResolvers<ByteFinds>()
      waiting.push(one)
      child.send(search)
      return one.promise
    },
    [Symbol.dispose]: () => void (child.connected && child.disconnect()),
  }
}
