import { foldBytes, folded } from '../../../domain/values/folded.ts'
import { forgottenKeyOf } from '../../key.ts'
import { underOwnKey } from '../../people/own-key.ts'
import type { PersonalChange, PlaceValue, Scrubbed } from '../../people/personal-row.ts'
import { PLACE_NAMES, type PlaceName, placeOf, quoted } from '../../people/places.ts'
import { patternAlone } from '../../people/stands-alone.ts'
import { segmentOf } from '../../search-key.ts'
import { inSegments, type Sought, withoutKeys } from '../../searching/search-block.ts'
import { inVolumes, volumeOf } from '../../searching/volume.ts'
import { addKeys, asUuid } from '../keys.ts'
import { type Database, prepared, rowsOf, type Session, textOf } from '../server/database.ts'
import { saysAlone, searchBlocks } from './search-blocks.ts'

const unindex = prepared(`
  delete from search_keys s using json_to_recordset($1::text::json) as k (segment integer, key text, event bigint)
    where s.segment = k.segment and s.key = decode(k.key, 'hex') and s.event_id = k.event`)
const getPieces = prepared<{ place: number; body: Buffer }>(
  'select place, body from search_blocks where place = any($1::bigint[]) order by place for update',
)
const setPiece = prepared('update search_blocks set body = $2 where place = $1')
const beforeRow = prepared('savepoint before_row')
const backToRow = prepared('rollback to savepoint before_row')
const UNIQUE_VIOLATION = '23505'
const addCustomers = prepared('update customer_count set n = n + $1')

/** Blocks of a table that are looked through in one statement: few, since a row may have long texts beside it. */
const BLOCKS = 200

/** What the server keeps, and nobody here can overwrite. */
const NOT_PROMISED = [
  'The server’s WAL files, archives of them and replicas have the old rows until they are recycled.',
  'VACUUM gives room back for new rows; bytes of old ones stay in it until they are written over. "VACUUM FULL" by hand writes the tables anew.',
]

/** Rows written anew without the person whom they spoke of. */
export function createForgetting(db: Database) {
  return {
    /** Each event's own keys are rows already, whatever becomes of its row. */
    async forgetEvents(events: readonly number[]): Promise<void> {
      const forgotten = new Map(events.map((event) => [asUuid(forgottenKeyOf(event)), event]))
      await db.transaction((session) => addKeys(session, forgotten))
    },

    /** Keys in hex. */
    async unindexEvents(events: readonly number[], keys: readonly string[]): Promise<void> {
      const rows = events.flatMap((event) => keys.map((key) => ({ segment: segmentOf(event), key, event })))
      await db.transaction(async (session) => {
        await session.query(unindex, [rowsOf(rows)])
        await unindexPacked(session, events, keys)
      })
    },

    async rewritePersonal(changes: readonly PersonalChange[]): Promise<number> {
      return await db.transaction(async (session) => {
        let count = 0
        for (const one of changes) count += await change(session, one)
        return count
      })
    },

    /** Old versions of rows go; what is left is looked for in the rows, since nobody here can read the server's files. */
    async scrub(
      texts: readonly string[],
      places: readonly PlaceName[] = PLACE_NAMES,
      words: readonly string[] = [],
    ): Promise<Scrubbed> {
      const isAll = places === PLACE_NAMES
      const failed = await db.vacuum([...places, ...(isAll ? ['payload_blocks', 'search_blocks'] : [])])
      const doubts = [...NOT_PROMISED, ...failed.map(notVacuumed)]
      const searched: Scrubbed['searched'] = []
      let found = 0
      const longer = words.map((word) => Buffer.from(folded(word)))
      const small = [...new Set(texts.map(folded))]
      for (const name of places) {
        const rows = await countSaying(db, name, small, longer)
        searched.push({ what: name, bytes: rows.bytes })
        found += rows.n
      }
      if (!isAll) return { searched, found, pages: 0, inRowsAlone: true, doubts }
      const packed = await searchBlocks(db, small, longer)
      searched.push({ what: 'packed payloads', bytes: packed.bytes })
      for (const id of packed.broken)
        doubts.push(`Row ${id} of payload_blocks cannot be unpacked, and was not looked through: put it back.`)
      return { searched, found: found + packed.found, pages: 0, inRowsAlone: true, doubts }
    },
  }
}

/** From where keys of whole segments are kept, then from their volumes: they may move there while their rows are waited for. */
async function unindexPacked(session: Session, events: readonly number[], keys: readonly string[]): Promise<void> {
  await takeOut(session, Map.groupBy(events, segmentOf), (segment) => inSegments([segment], keys))
  const volumes = Map.groupBy(events, (event) => volumeOf(segmentOf(event)))
  await takeOut(session, volumes, (volume) => inVolumes([volume], keys))
}

/** `parts`: the events of each. */
async function takeOut(
  session: Session,
  parts: ReadonlyMap<number, readonly number[]>,
  soughtIn: (part: number) => Sought[],
): Promise<void> {
  const sought = [...parts].flatMap(([part, events]) => soughtIn(part).map((one) => ({ ...one, events })))
  const byPlace = Map.groupBy(sought, ({ place }) => place)
  for (const { place, body } of await session.query(getPieces, [[...byPlace.keys()]])) {
    const those = byPlace.get(place) ?? []
    const left = those.reduce((piece, { key, events, first }) => withoutKeys(piece, key, events, first), body)
    await session.query(setPiece, [place, left])
  }
}

/** Where another row has the key that this one would have, it gets one of its own. */
async function change(session: Session, one: PersonalChange): Promise<number> {
  const apart = underOwnKey(one)
  if (apart === null) return await write(session, one)
  await session.query(beforeRow)
  try {
    return await write(session, one)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)) throw error
    await session.query(backToRow)
    return await write(session, apart)
  }
}

async function write(session: Session, { place, row, from, to }: PersonalChange): Promise<number> {
  const { columns, bytes } = placeOf(place)
  const type = (name: string) => (bytes?.includes(name) ? 'bytea' : 'text')
  const isSame = columns.map((name, index) => `${quoted(name)} is not distinct from $${index + 2}::${type(name)}`)
  const where = `where ctid = $1::text::tid and ${isSame.join(' and ')} returning ctid`
  const was = from.map(bound)
  if (to === null) {
    const gone = await session.query(prepared<{ ctid: string }>(`delete from ${place} ${where}`), [row, ...was])
    if (place === 'customers' && gone.length > 0) await session.query(addCustomers, [-gone.length])
    return gone.length
  }
  const set = columns.map((name, index) => `${quoted(name)} = $${columns.length + index + 2}::${type(name)}`).join(', ')
  const statement = prepared<{ ctid: string }>(`update ${place} set ${set} ${where}`)
  return (await session.query(statement, [row, ...was, ...to.map(bound)])).length
}

/** By stretches: a statement over a whole table would take longer than the server lets one take. */
async function countSaying(
  db: Database,
  name: PlaceName,
  texts: readonly string[],
  words: readonly Buffer[],
): Promise<{ n: number; bytes: number }> {
  const counting = prepared<{ n: number }>(`select count(*) as n from ${saying(name)}`)
  const reading = prepared<Record<string, string | Buffer | null>>(`select ${columnsOf(name)} from ${saying(name)}`)
  const measured = prepared<{ bytes: number; blocks: number }>(measuring(name))
  const patterns = texts.map(patternAlone)
  const wanted = texts.map((text) => Buffer.from(text))
  const isFound = (row: Record<string, string | Buffer | null>) =>
    Object.values(row).some(
      (value) =>
        value !== null && wanted.some((text) => saysAlone(foldBytes(Buffer.from(value as string)), text, words)),
    )
  let n = 0
  for (let at = 0; ; at += BLOCKS) {
    const asked = [texts, patterns, `(${at},0)`, `(${at + BLOCKS},0)`]
    // Only the rows themselves tell whether a text is a part of somebody else's there.
    if (words.length > 0) n += (await db.query(reading, asked)).filter(isFound).length
    else n += Number((await db.query(counting, asked))[0]?.n ?? 0)
    const [row] = await db.query(measured)
    if (at + BLOCKS >= Number(row?.blocks ?? 0)) return { n, bytes: Number(row?.bytes ?? 0) }
  }
}

function columnsOf(name: PlaceName): string {
  return placeOf(name).columns.map(quoted).join(', ')
}

/** Each column is made small once a row (`offset 0`), and not once for each text; bytes as they are escaped, signs of ASCII as they are. */
function saying(name: PlaceName): string {
  const { columns, bytes } = placeOf(name)
  const small = columns.map((column, index) => {
    const text = bytes?.includes(column) ? `encode(${quoted(column)}, 'escape')` : quoted(column)
    return `lower(${text} collate "C") as c${index}`
  })
  const says = columns.map((column, index) => {
    const text = bytes?.includes(column) ? "encode(convert_to(t.text, 'UTF8'), 'escape')" : 't.text'
    return `(strpos(c${index}, ${text}) > 0 and (t.alone is null or c${index} ~ t.alone))`
  })
  const rows = `(select ${columnsOf(name)}, ${small.join(', ')} from ${name} where ctid >= $3::text::tid and ctid < $4::text::tid offset 0)`
  return `${rows} as said where exists (select 1 from unnest($1::text[], $2::text[]) as t (text, alone) where ${says.join(' or ')})`
}

function measuring(name: PlaceName): string {
  return `select pg_total_relation_size('${name}') as bytes, pg_relation_size('${name}') / current_setting('block_size')::int as blocks`
}

function notVacuumed({ table, error }: { table: string; error: unknown }): string {
  return `${table} could not be vacuumed (${error instanceof Error ? error.message : error}): do it by hand.`
}

function bound(value: PlaceValue): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : textOf(value)
}
