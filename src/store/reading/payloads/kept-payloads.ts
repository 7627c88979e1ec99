import { and, asc, desc, eq, gt, inArray, lte } from 'drizzle-orm'
import { type Unpacked, unpackBlock } from '../../payloads/block.ts'
import { BrokenBlockError, type Payload } from '../../payloads/payload.ts'
import type { RowOf } from '../../schema.ts'
import type { Db, Dialect } from '../dialect.ts'

export type BlockRow = Omit<RowOf<'payloadBlocks'>, 'body'>

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
