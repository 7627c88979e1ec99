import { createHash } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import type { Tallied } from '../../../domain/ledger/destination/tallied.ts'
import { keyOfFirst } from '../../../domain/queue/sent-again.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { isTrouble } from '../../../folders/files-error.ts'
import type { Files, Transport } from '../../../folders/transport.ts'
import type { GivenRecord, TallyRecords } from '../../../ports/tally.ts'
import { readingError } from '../trouble.ts'
import type { Manifest } from './manifest.ts'
import type { Outbox } from './outbox.ts'

const DAY = 24 * 60 * 60_000

/** A record is tried for three days before it is acknowledged; a day more for clocks. */
const TRIED = 4 * DAY

/** One look at a file in its place. `changed`: somebody has written to it since; the keys of ours that are in it. */
type Seen = { is: 'fetched' } | { is: 'whole' } | { is: 'changed'; keys: ReadonlySet<string> }

interface Tools {
  transport: Transport
  outbox: Pick<Outbox, 'written'>
  destination: string
}

/**
 * Looks at the files that were written: one that lies there unchanged has all its records; of one that was changed since, those whose key
 * stands in it. A file that is not there was fetched, or taken away: nobody can tell.
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
    const written = await outbox.written(
      given.flatMap(({ keys }) => keys),
      since,
      files,
    )
    const seen = new Map<string, Seen>()
    const answers: Tallied[] = []
    for (const record of given) {
      const all: Seen[] = []
      for (const manifest of record.keys.flatMap((key) => written.get(key) ?? [])) {
        const one = seen.get(manifest.name) ?? (await lookAt(files, manifest))
        seen.set(manifest.name, one)
        all.push(one)
      }
      answers.push(talliedOf(record, all))
    }
    return answers
  }
}

function talliedOf({ keys: [first] }: GivenRecord, all: readonly Seen[]): Tallied {
  if (all.length === 0) return { is: 'unknown', why: 'which file it was written into is not remembered' }
  const changed = all.flatMap((one) => (one.is === 'changed' ? [one] : []))
  // Each file has a column for the key, or the whole record with it.
  const isThere = changed.some(({ keys }) => keys.has(keyOfFirst(first)))
  if (isThere || all.some(({ is }) => is === 'whole')) return { is: 'there', count: 1, amount: null }
  if (changed.length < all.length) return { is: 'unknown', why: 'its file was fetched' }
  return { is: 'lacking', why: 'its file was changed, and has it no more' }
}

async function lookAt(files: Files, { name, sha256, keys }: Manifest): Promise<Seen> {
  const wanted = new Set(keys.map(keyOfFirst))
  const hash = createHash('sha256')
  const found = new Set<string>()
  const words = createWords((word) => {
    if (wanted.has(word)) found.add(word)
  })
  try {
    for await (const piece of files.read(name)) {
      hash.update(piece)
      words.add(piece)
    }
  } catch (error) {
    if (isTrouble(error, 'missing')) return { is: 'fetched' }
    throw error
  }
  words.end()
  return hash.digest('hex') === sha256 ? { is: 'whole' } : { is: 'changed', keys: found }
}

/** More than any key has: what goes on for longer is none. */
const LONGEST = 4_096

/** Splits bytes that come in pieces into words of the signs that a key is made of (deliveryKey). */
function createWords(tell: (word: string) => void) {
  const decoder = new StringDecoder('latin1')
  let rest = ''

  function split(text: string): string {
    const words = text.split(/[^A-Za-z0-9_~\-/%:]+/)
    const last = words.pop() ?? ''
    for (const word of words) tell(word)
    return last.slice(-LONGEST)
  }

  return {
    add(piece: Uint8Array): void {
      rest = split(rest + decoder.write(piece))
    },
    end(): void {
      tell(rest)
    },
  }
}
