import { StringDecoder } from 'node:string_decoder'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { keyOfFirst } from '../../../domain/queue/sent-again.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { isTrouble } from '../../../folders/files-error.ts'
import type { Files, Transport } from '../../../folders/transport.ts'
import type { GivenRecord, TallyRecords } from '../../../ports/tally.ts'
import { readingError } from '../trouble.ts'
import type { Outbox } from './outbox.ts'

const DAY = 24 * 60 * 60_000

/** A record is tried for three days before it is acknowledged; a day more for clocks. */
const TRIED = 4 * DAY

interface Tools {
  transport: Transport
  outbox: Pick<Outbox, 'written'>
  destination: string
}

/**
 * Looks at the files that were written: each has a column for the key of its records, or the whole records with it. A file
 * that is not there was fetched, or taken away: nobody can tell.
 */
export function createTally({ transport, outbox, destination }: Tools): TallyRecords {
  return {
    async tally(given, { signal }) {
      try {
        return await transport.use(signal, (files) => talliedIn(files, given))
      } catch (error) {
        throw readingError(error, `${destination}: ${transport.where}`)
      }
    },
  }

  async function talliedIn(files: Files, given: readonly GivenRecord[]): Promise<Tallied[]> {
    const since: Instant = Math.min(...given.map(({ givenAt }) => givenAt)) - TRIED
    const keys = given.flatMap((record) => record.keys)
    const written = await outbox.written(files, keys, since)
    const wanted = new Set(keys.map(keyOfFirst))
    const seen = new Map<string, ReadonlySet<string> | null>()
    for (const name of new Set([...written.values()].flat())) seen.set(name, await keysIn(files, name, wanted))
    return given.map((record) => {
      const names = record.keys.flatMap((key) => written.get(key) ?? [])
      return talliedOf(
        keyOfFirst(record.keys[0]),
        names.map((name) => seen.get(name) ?? null),
      )
    })
  }
}

/** `all`: what is in each file that it was written into; null: the file is not there. */
function talliedOf(key: string, all: readonly (ReadonlySet<string> | null)[]): Tallied {
  if (all.length === 0) return { is: 'unknown', why: 'which file it was written into is not remembered' }
  if (all.some((keys) => keys?.has(key))) return { is: 'there', count: 1, amount: null }
  if (all.includes(null)) return { is: 'unknown', why: 'its file was fetched' }
  return { is: 'lacking', why: 'its file was changed, and has it no more' }
}

/** More than any key has: what goes on for longer is none. */
const LONGEST = 4_096

/** Those of the keys that a file has; null: it is not there. Memory is that of a piece of it. */
async function keysIn(files: Files, name: string, wanted: ReadonlySet<string>): Promise<ReadonlySet<string> | null> {
  const decoder = new StringDecoder('latin1')
  const found = new Set<string>()
  let rest = ''
  try {
    for await (const piece of files.read(name)) {
      // A key is made of these signs (deliveryKey), and of no others.
      const words = (rest + decoder.write(piece)).split(/[^A-Za-z0-9_~\-/%:]+/)
      rest = (words.pop() ?? '').slice(-LONGEST)
      for (const word of words) if (wanted.has(word)) found.add(word)
    }
  } catch (error) {
    if (isTrouble(error, 'missing')) return null
    throw error
  }
  if (wanted.has(rest)) found.add(rest)
  return found
}
