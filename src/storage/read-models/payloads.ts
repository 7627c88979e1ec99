import { and, asc, desc, eq, gt, gte, inArray, lte, type SQL, sql } from 'drizzle-orm'
import { UNSETTLED } from '../../domain/queue/delivery.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { foldBytes, folded } from '../../domain/values/text.ts'
import {
  BrokenBlockError,
  type Drop,
  type Drops,
  digestOfPayloads,
  FIRST_BLOCK,
  type NewBlock,
  NO_SWAP,
  type Payload,
  type PayloadsToDrop,
  packBlock,
  type Swap,
  type Unpacked,
  unpackBlock,
} from '../payloads/block.ts'
import {
  type ColumnValue,
  type PersonalChange,
  type PersonalPage,
  type PersonalRow,
  type PersonalRows,
  type PersonalTable,
  personalTable,
  quoted,
} from '../personal-places.ts'
import { isYoung } from '../rows.ts'
import type { RowOf } from '../schema.ts'
import type { Db, Dialect } from './dialect.ts'

type BlockRow = Omit<RowOf<'payloadBlocks'>, 'body'>

/** Payloads, own row before block. `db` must be one snapshot; nothing is cached. */
export function createKeptPayloads(db: Db, { tables: { events, payloadBlocks, payloads } }: Dialect) {
  const { id, kind, firstEvent, lastEvent, payloads: count, size } = payloadBlocks
  const columns = { id, kind, firstEvent, lastEvent, payloads: count, size }

  async function plain(ids: readonly number[]): Promise<Payload[]> {
    const { eventId, headers, body } = payloads
    return await db
      .select({ id: eventId, headers, body })
      .from(payloads)
      .where(inArray(eventId, [...ids]))
      .orderBy(asc(eventId))
  }

  async function blockUpTo(ofKind: string, event: number): Promise<BlockRow | null> {
    const where = and(eq(kind, ofKind), lte(firstEvent, event))
    const [row] = await db.select(columns).from(payloadBlocks).where(where).orderBy(desc(firstEvent)).limit(1)
    return row ?? null
  }

  async function blockAfter(ofKind: string, event: number): Promise<BlockRow | null> {
    const where = and(eq(kind, ofKind), gt(firstEvent, event))
    const [row] = await db.select(columns).from(payloadBlocks).where(where).orderBy(asc(firstEvent)).limit(1)
    return row ?? null
  }

  async function unpack(block: BlockRow): Promise<Unpacked> {
    const { body } = payloadBlocks
    const [row] = await db.select({ body }).from(payloadBlocks).where(eq(id, block.id))
    try {
      if (!row) throw new BrokenBlockError('it is not there')
      return await unpackBlock(row.body)
    } catch (error) {
      throw BrokenBlockError.named(block, error)
    }
  }

  async function blocksOf(ids: readonly number[]): Promise<{ block: BlockRow; ids: number[] }[]> {
    const rows = await db
      .select({ event: events.id, ofKind: events.kind })
      .from(events)
      .where(inArray(events.id, [...ids]))
      .orderBy(asc(events.kind), asc(events.id))
    const found: { block: BlockRow; ids: number[] }[] = []
    for (const { event, ofKind } of rows) {
      const last = found.at(-1)
      if (last && last.block.kind === ofKind && event <= last.block.lastEvent) {
        last.ids.push(event)
        continue
      }
      const block = await blockUpTo(ofKind, event)
      if (block && block.lastEvent >= event) found.push({ block, ids: [event] })
    }
    return found
  }

  return {
    blockColumns: columns,
    plain,
    blockUpTo,
    blockAfter,
    blocksOf,
    unpack,

    async payloadsOf(ids: readonly number[]): Promise<Payload[]> {
      const found = await plain(ids)
      const there = new Set(found.map((one) => one.id))
      const others = ids.filter((one) => !there.has(one))
      if (others.length === 0) return found
      for (const one of await blocksOf(others)) {
        const unpacked = await unpack(one.block)
        found.push(...one.ids.flatMap((event) => unpacked.get(event) ?? []))
      }
      return found
    },
  }
}

const WINDOW = 4_096

const ROWS = 1_000
const BLOCKS = 100

/** Per commit, but for a single larger one; pages of blocks are overwritten. */
const ROWS_A_COMMIT = { items: 50, bytes: 256 * 1024 }
const BLOCKS_A_COMMIT = { items: 8, bytes: 4 * 1024 * 1024 }

export function createSwaps(db: Db, dialect: Dialect) {
  const { deliveries, events, legalHolds, payloadBlocks, payloads } = dialect.tables
  const kept = createKeptPayloads(db, dialect)

  async function plainRows(before: Instant): Promise<PlainRow[]> {
    const { eventId, headers, body } = payloads
    const { kind, receivedAt } = events
    const size = sql<number>`length(${headers}) + length(${body})`
    const rows = await db
      .select({ id: eventId, kind, receivedAt, size })
      .from(payloads)
      .innerJoin(events, eq(events.id, eventId))
      .orderBy(asc(eventId))
      .limit(WINDOW)
    const young = rows.findIndex(({ receivedAt }) => isYoung(receivedAt, before))
    return young < 0 ? rows : rows.slice(0, young)
  }

  /** The last block is extended: it must where rows lie within it, and may where it has room. */
  async function joined(rows: readonly Payload[], room: BlockRow | null): Promise<Payload[] | null> {
    const [first] = rows
    if (room === null || first === undefined) return null
    const mustJoin = room.lastEvent >= first.id
    const size = rows.reduce((sum, { body }) => sum + body.byteLength, room.size)
    const mayJoin = room.payloads + rows.length <= BLOCK.payloads && size <= BLOCK.bytes
    if (!mustJoin && !mayJoin) return null
    const before = new Map(await kept.unpack(room))
    for (const row of rows) before.set(row.id, row)
    return [...before.values()].sort((a, b) => a.id - b.id)
  }

  return {
    async blocksToMake(before: Instant): Promise<{ kind: string; ids: number[] }[]> {
      const rows = await plainRows(before)
      const small = rows.filter(({ size }) => size <= LARGEST)
      return planBlocks(small, rows.length < WINDOW, before)
    },

    async swapToPack(kind: string, ids: readonly number[]): Promise<Swap | null> {
      const [first] = ids
      if (first === undefined) return null
      const next = await kept.blockAfter(kind, first)
      const rows = (await kept.plain(ids)).filter(({ id }) => next === null || id < next.firstEvent)
      if (rows.length === 0) return null
      const room = await kept.blockUpTo(kind, first)
      const all = await joined(rows, room)
      return {
        ...NO_SWAP,
        blocksOut: all !== null && room !== null ? [room.id] : [],
        blocksIn: [await newBlock(kind, all ?? rows)],
        rowsOut: { ids: rows.map(({ id }) => id), digest: digestOfPayloads(rows) },
      }
    },

    /** An event may have both a row and an older one in a block. */
    async swapToRewrite(changes: readonly PersonalChange[]): Promise<{ swap: Swap; found: number }> {
      const wanted = changes.map(asPayloads)
      const rewritten = (now: Payload) => wanted.find(({ from }) => isSame(from, now))?.to ?? null
      const ids = [...new Set(wanted.map(({ from }) => from.id))]
      const swap = { ...NO_SWAP, blocksOut: [] as number[], blocksIn: [] as NewBlock[] }
      const rows = await kept.plain(ids)
      const rowsChanged = rows.flatMap((row) => {
        const to = rewritten(row)
        return to ? [{ ...to, digest: digestOfPayloads([row]) }] : []
      })
      const isPlain = new Set(rows.map(({ id }) => id))
      const sizes = rowsChanged.map(({ id, body }) => ({ id, size: body.byteLength }))
      let found = rowsChanged.length
      for (const { block } of await kept.blocksOf(ids)) {
        const before = [...(await kept.unpack(block)).values()]
        const after = before.map(rewritten)
        const those = after.filter((one) => one !== null)
        if (those.length === 0) continue
        found += those.length
        swap.blocksOut.push(block.id)
        swap.blocksIn.push(
          await newBlock(
            block.kind,
            before.map((one, nth) => after[nth] ?? one),
          ),
        )
        sizes.push(...those.flatMap(({ id, body }) => (isPlain.has(id) ? [] : [{ id, size: body.byteLength }])))
      }
      return { swap: { ...swap, rowsChanged, sizes }, found }
    },

    async swapsToDrop(wanted: PayloadsToDrop): Promise<Drops> {
      const { after = FIRST_BLOCK } = wanted
      // Holds and retries since `except` was made: the writer would refuse them again and again.
      const which = { ...wanted, except: [...new Set([...wanted.except, ...(await heldUpTo(wanted.upTo))])] }
      const rows = await rowsToDrop(which)
      if (rows.length > 0) return { drops: inCommits(rows, ROWS_A_COMMIT).map(dropOfRows), after }
      for (let from = after; ; ) {
        const blocks = await blocksToDrop(which, from)
        if (blocks.length === 0) return { drops: [], after: null }
        const { drops, last } = await dropsOf(blocks, which)
        if (drops.length > 0) return { drops, after: last }
        from = last
      }
    },
  }

  async function heldUpTo(upTo: number): Promise<number[]> {
    const { eventId } = legalHolds
    const rows = await db.select({ id: eventId }).from(legalHolds).where(lte(eventId, upTo))
    return rows.map(({ id }) => id)
  }

  async function rowsToDrop({ kind, upTo, except }: PayloadsToDrop): Promise<{ id: number; size: number }[]> {
    const { eventId } = payloads
    const rows = await db
      .select({ id: eventId, size: events.size })
      .from(payloads)
      .innerJoin(events, eq(events.id, eventId))
      .where(and(eq(events.kind, kind), lte(eventId, upTo)))
      .orderBy(asc(eventId))
      .limit(ROWS + except.length)
    const keep = new Set(except)
    const some = rows.filter(({ id }) => !keep.has(id)).slice(0, ROWS)
    if (some.length === 0) return []
    const open = await openOf(
      inArray(
        deliveries.eventId,
        some.map(({ id }) => id),
      ),
    )
    return some.filter(({ id }) => !open.has(id))
  }

  async function openOf(which: SQL): Promise<Set<number>> {
    const { eventId, state } = deliveries
    const rows = await db.select({ event: eventId, state }).from(deliveries).where(which)
    return new Set(rows.filter(({ state }) => UNSETTLED.has(state)).map(({ event }) => event))
  }

  async function blocksToDrop({ kind, upTo }: PayloadsToDrop, after: number): Promise<BlockRow[]> {
    return await db
      .select(kept.blockColumns)
      .from(payloadBlocks)
      .where(
        and(eq(payloadBlocks.kind, kind), lte(payloadBlocks.firstEvent, upTo), gt(payloadBlocks.firstEvent, after)),
      )
      .orderBy(asc(payloadBlocks.firstEvent))
      .limit(BLOCKS)
  }

  /** Unneeded blocks go whole. A block that is split takes as long as many: alone and last. `last`: where to go on. */
  async function dropsOf(blocks: readonly BlockRow[], { kind, upTo, except: all }: PayloadsToDrop) {
    const [from, to] = [blocks[0]?.firstEvent ?? 0, Math.max(...blocks.map(({ lastEvent }) => lastEvent))]
    const except = all.filter((id) => id >= from && id <= to)
    const whole: BlockRow[] = []
    let separate: Drop | null = null
    let last = from
    for (const block of blocks) {
      const { firstEvent, lastEvent } = block
      last = firstEvent
      const open = await openOf(and(gte(deliveries.eventId, firstEvent), lte(deliveries.eventId, lastEvent)) as SQL)
      const needed = [...new Set([...except.filter((id) => id >= firstEvent && id <= lastEvent), ...open])]
      const isPast = block.lastEvent <= upTo
      if (isPast && needed.length >= block.payloads) continue
      const before = isPast && needed.length === 0 ? null : await kept.unpack(block)
      if (before === null) {
        whole.push(block)
        continue
      }
      const left = [...before.values()].filter(({ id }) => id > upTo || needed.includes(id))
      if (left.length === block.payloads) continue
      const gone = [...before.keys()].filter((id) => id <= upTo && !needed.includes(id))
      const blocksIn = left.length === 0 ? [] : [await newBlock(kind, left)]
      const swap = { ...NO_SWAP, blocksOut: [block.id], blocksIn, gone: { events: gone, blocks: [] } }
      separate = { swap, dropped: gone.length }
      break
    }
    const drops = inCommits(whole, BLOCKS_A_COMMIT).map((some) => {
      const ids = some.map(({ id }) => id)
      const swap = { ...NO_SWAP, blocksOut: ids, gone: { events: [], blocks: ids } }
      return { swap, dropped: some.reduce((sum, block) => sum + block.payloads, 0) }
    })
    return { drops: separate === null ? drops : [...drops, separate], last }
  }
}

function asPayloads({ row, from, to }: PersonalChange): { from: Payload; to: Payload } {
  const of = ([headers, body]: PersonalChange['from']): Payload => ({
    id: Number(row),
    headers: typeof headers === 'string' ? headers : '{}',
    body: body instanceof Uint8Array ? body : new Uint8Array(),
  })
  return { from: of(from), to: of(to ?? []) }
}

function isSame(one: Payload, other: Payload): boolean {
  return one.id === other.id && one.headers === other.headers && Buffer.compare(one.body, other.body) === 0
}

function dropOfRows(rows: readonly { id: number }[]): Drop {
  const ids = rows.map(({ id }) => id)
  return {
    swap: { ...NO_SWAP, rowsOut: { ids, digest: null }, gone: { events: ids, blocks: [] } },
    dropped: ids.length,
  }
}

function inCommits<T extends { size: number }>(all: readonly T[], most: { items: number; bytes: number }): T[][] {
  const commits: T[][] = []
  let bytes = 0
  for (const one of all) {
    const last = commits.at(-1)
    if (last !== undefined && last.length < most.items && bytes + one.size <= most.bytes) last.push(one)
    else {
      commits.push([one])
      bytes = 0
    }
    bytes += one.size
  }
  return commits
}

async function newBlock(kind: string, payloads: readonly Payload[]): Promise<NewBlock> {
  const firstEvent = payloads[0]?.id ?? 0
  const lastEvent = payloads.at(-1)?.id ?? 0
  return { kind, firstEvent, lastEvent, payloads: payloads.length, ...(await packBlock(payloads)) }
}

export interface PlainRow {
  id: number
  kind: string
  receivedAt: Instant
  size: number
}

export const BLOCK = { payloads: 256, bytes: 512 * 1024 }
/** Larger ones are not packed: unpacking holds the whole block. */
const LARGEST = 8 * 1024 * 1024

const SMALL = 64
const WAITS = 24 * 3_600_000

/** Groups rows of a kind into blocks; small groups wait, unless (`isAll` false) they keep others from being reached. */
export function planBlocks(rows: readonly PlainRow[], isAll: boolean, now: Instant): { kind: string; ids: number[] }[] {
  const groups = [...Map.groupBy(rows, ({ kind }) => kind)].flatMap(([kind, ofKind]) =>
    cut(ofKind).map((group) => ({ kind, group })),
  )
  const ready = groups.filter(({ group }) => isWorthIt(group, now))
  const largest = groups.reduce<(typeof groups)[number] | null>(
    (best, one) => (best === null || one.group.length > best.group.length ? one : best),
    null,
  )
  const chosen = ready.length === 0 && !isAll && largest !== null ? [largest] : ready
  return chosen.map(({ kind, group }) => ({ kind, ids: group.map(({ id }) => id) }))
}

function isWorthIt(group: readonly PlainRow[], now: Instant): boolean {
  const [oldest] = group
  return group.length >= SMALL || sizeOf(group) >= BLOCK.bytes / 2 || (oldest?.receivedAt ?? now) < now - WAITS
}

function cut(rows: readonly PlainRow[]): PlainRow[][] {
  const groups: PlainRow[][] = []
  let last: PlainRow[] = []
  for (const row of rows) {
    const isFull = last.length >= BLOCK.payloads || sizeOf(last) + row.size > BLOCK.bytes
    if (last.length === 0 || isFull) {
      last = []
      groups.push(last)
    }
    last.push(row)
  }
  return groups
}

function sizeOf(rows: readonly PlainRow[]): number {
  return rows.reduce((sum, { size }) => sum + size, 0)
}

export function createPeoplePages(db: Db, dialect: Dialect) {
  const { people } = dialect
  const { payloadsOfEvents, payloadsSaying } = createPersonalPayloads(db, dialect)

  return {
    async personalPage(asked: PersonalRows): Promise<PersonalPage> {
      if (asked.place === 'payloads')
        return 'ofEvents' in asked
          ? { rows: await payloadsOfEvents(asked.ofEvents), next: null }
          : await payloadsSaying(asked.containing, asked.after)
      const place = personalTable(asked.place)
      const select = (where: SQL) =>
        db
          .select({
            row: people.row(place).as('r'),
            event: eventOf(place).as('e'),
            ...Object.fromEntries(
              place.columns.map((name, index) => [`v${index}`, sql`${sql.raw(quoted(name))}`.as(`v${index}`)]),
            ),
          })
          .from(sql`${sql.raw(asked.place)}`)
          .where(where)
      if ('ofEvents' in asked)
        return {
          rows: asked.ofEvents.length === 0 ? [] : rowsOf(await select(isOf(place, asked.ofEvents)), place),
          next: null,
        }
      if (asked.containing.length === 0) return { rows: [], next: null }
      const exact = asked.anyColumn ? undefined : place.exact
      if (exact !== undefined) {
        const rows = await select(sql`${sql.raw(quoted(exact))} in (${listOf(asked.containing)})`)
        return { rows: rowsOf(rows, place), next: null }
      }
      const saying = says(place, asked.containing, people)
      const stretch = people.stretch(asked.place, asked.after, place)
      if (stretch === null) return { rows: rowsOf(await select(saying), place), next: null }
      const [{ next } = { next: null }] = await db.select({ next: stretch.next.as('n') }).from(sql`(select 1) as one`)
      const rows = await select(sql`${stretch.isIn} and (${saying})`)
      return { rows: rowsOf(rows, place), next: next === null ? null : Number(next) }
    },
  }
}

function eventOf({ ofEvents }: PersonalTable): SQL<number | null> {
  if (ofEvents === undefined) return sql`null`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)}`
  return sql`(select d.event_id from deliveries d where d.id = delivery_id)`
}

function isOf({ ofEvents }: PersonalTable, ids: readonly number[]): SQL {
  const list = listOf(ids)
  if (ofEvents === undefined) return sql`1 = 0`
  if (ofEvents !== 'delivery_id') return sql`${sql.raw(ofEvents)} in (${list})`
  return sql`delivery_id in (select d.id from deliveries d where d.event_id in (${list}))`
}

function says(place: PersonalTable, texts: readonly string[], { said, hasText }: Dialect['people']): SQL {
  const columns = place.columns.map((name) => sql`${sql.raw(quoted(name))}`)
  const any = anyOf([...new Set(texts.map(folded))].map((text) => hasText(sql`s.said`, text)))
  return sql`exists (select 1 from ${said(columns)} as s where ${any})`
}

/** As a balanced tree: SQLite allows an expression depth of 1,000. */
function anyOf(conditions: readonly SQL[]): SQL {
  const [first, ...more] = conditions
  if (first === undefined) return sql`1 = 0`
  if (more.length === 0) return first
  const middle = Math.ceil(conditions.length / 2)
  return sql`(${anyOf(conditions.slice(0, middle))} or ${anyOf(conditions.slice(middle))})`
}

function listOf(values: readonly (string | number)[]): SQL {
  return sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )
}

function rowsOf(rows: readonly Record<string, unknown>[], place: PersonalTable): PersonalRow[] {
  return rows.map((row) => ({
    row: String(row.row),
    event: row.event === null ? null : Number(row.event),
    values: place.columns.map((_, index) => (row[`v${index}`] ?? null) as ColumnValue),
  }))
}

const BLOCKS_A_PAGE = 32
const PLAIN_ROWS = 1_000

/**
 * Payloads that may hold personal data. An event with both a row and a block entry yields both: the stale one may say
 * more.
 */
function createPersonalPayloads(db: Db, dialect: Dialect) {
  const { payloadBlocks, payloads } = dialect.tables
  const kept = createKeptPayloads(db, dialect)

  return {
    async payloadsOfEvents(ids: readonly number[]): Promise<PersonalRow[]> {
      const found = await kept.plain(ids)
      for (const one of await kept.blocksOf(ids)) {
        const unpacked = await kept.unpack(one.block)
        found.push(...one.ids.flatMap((id) => unpacked.get(id) ?? []))
      }
      return found.map(payloadRow)
    },

    /** Rows first (`after`: an event), then blocks (negative). */
    async payloadsSaying(texts: readonly string[], after: number): Promise<PersonalPage> {
      const { rows, ...page } = after < 0 ? await packed(-after - 1) : await plain(after)
      const wanted = texts.map((text) => Buffer.from(folded(text)))
      return { ...page, rows: rows.filter((row) => payloadSays(row, wanted)).map(payloadRow) }
    },
  }

  async function plain(after: number): Promise<{ rows: Payload[]; next: number }> {
    const { eventId, headers, body } = payloads
    const rows = await db
      .select({ id: eventId, headers, body })
      .from(payloads)
      .where(gt(eventId, after))
      .orderBy(asc(eventId))
      .limit(PLAIN_ROWS)
    return { rows, next: rows.length < PLAIN_ROWS ? -1 : (rows.at(-1)?.id ?? 0) }
  }

  async function packed(after: number): Promise<Omit<PersonalPage, 'rows'> & { rows: Payload[] }> {
    const blocks = await db
      .select(kept.blockColumns)
      .from(payloadBlocks)
      .where(gt(payloadBlocks.id, after))
      .orderBy(asc(payloadBlocks.id))
      .limit(BLOCKS_A_PAGE)
    const rows: Payload[] = []
    const broken: string[] = []
    for (const block of blocks)
      try {
        rows.push(...(await kept.unpack(block)).values())
      } catch (error) {
        if (!(error instanceof BrokenBlockError)) throw error
        broken.push(error.message)
      }
    const unpacked = rows.reduce((sum, { headers, body }) => sum + headers.length + body.byteLength, 0)
    return { rows, unpacked, broken, next: blocks.length < BLOCKS_A_PAGE ? null : -(blocks.at(-1)?.id ?? 0) - 1 }
  }
}

function payloadRow({ id, headers, body }: Payload): PersonalRow {
  return { row: String(id), event: id, values: [headers, body] }
}

function payloadSays({ headers, body }: Payload, texts: readonly Buffer[]): boolean {
  const said = foldBytes(Buffer.concat([Buffer.from(headers), BETWEEN, body]))
  return texts.some((text) => said.includes(text))
}

const BETWEEN = Buffer.from([0])
