import { NOTICE_KEYS, readNamedKey } from '../domain/privacy/notice.ts'
import { codeOf } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import type { SearchIndex } from '../ingest/search-index.ts'
import type { PersonalRow } from '../storage/personal-places.ts'
import type { Storage } from '../storage/storage.ts'
import type { HubJob } from './engine/job.ts'

type Kept = Pick<Storage, 'personalPage' | 'find' | 'deliveries' | 'scrubSecrets'>

interface Options {
  storage: Kept
  index: Pick<SearchIndex, 'catchUp'>
}

/** Later it is up to an operator (ms). */
const LONGEST = 30 * 24 * 3_600_000

const TIMEOUT_MS = 5_000

/** A dead delivery may be tried again. */
const OVER = new Set(['delivered', 'skipped', 'superseded'])

/**
 * Drops the keys of notices that destinations have taken, or that no destination will take any more: then the data subject is unknown in copies
 * and archives, too.
 */
export function noticesJob({ storage, index }: Options): HubJob {
  return {
    name: 'notices',
    async run({ now }) {
      const { rows } = await storage.personalPage({ place: 'links', containing: [NOTICE_KEYS.id], after: 0 })
      const keys = rows.filter(({ values }) => values[1] === NOTICE_KEYS.kind)
      const areFound = keys.length > 0 && (await index.catchUp(TIMEOUT_MS))
      const over: PersonalRow[] = []
      for (const row of keys) if (await isOver(storage, row, { areFound, now })) over.push(row)
      if (over.length === 0) return { note: `${pluralize(keys.length, 'notice')} under way` }
      const changes = over.map(({ row, values }) => ({ place: 'links' as const, row, from: values, to: null }))
      const { found } = await storage.scrubSecrets(changes, over.map(keyOf), 'links')
      const left = found === 0 ? '' : `; ${pluralize(found, 'place')} still have one`
      return { note: `${pluralize(over.length, 'key')} of notices went, ${keys.length - over.length} under way${left}` }
    },
  }
}

async function isOver(
  storage: Kept,
  { values }: PersonalRow,
  { areFound, now }: { areFound: boolean; now: Instant },
): Promise<boolean> {
  const [destination, , , theirId] = values.map(String)
  const { pseudonym } = readNamedKey(theirId ?? '')
  const [found] = await storage.find([{ sort: 'id', value: codeOf(pseudonym) }], 1)
  // Not indexed yet, or deleted.
  if (found === undefined) return areFound
  if (found.event.receivedAt < now - LONGEST) return true
  const deliveries = await storage.deliveries({ event: found.event.id, limit: 500 })
  return deliveries.every((one) => one.destination !== destination || OVER.has(one.state))
}

function keyOf({ values }: PersonalRow): string {
  return readNamedKey(String(values[3])).key
}
