import { asc, gt } from 'drizzle-orm'
import { foldBytes, folded } from '../../../domain/values/text.ts'
import { digestOfPayloads } from '../../payloads/block.ts'
import { BrokenBlockError } from '../../payloads/broken-block-error.ts'
import { NO_SWAP, type Payload, type Swap } from '../../payloads/payload.ts'
import type { PersonalChange, PersonalPage, PersonalRow } from '../../people/personal-row.ts'
import type { Db, Dialect } from '../dialect.ts'
import { createKeptPayloads } from './kept-payloads.ts'
import { newBlock } from './swaps.ts'

/** Per question. */
const BLOCKS = 32

/** Per question. */
const ROWS = 1_000

/**
 * Payloads that may hold personal data. An event with both a row and a block entry yields both: the stale one may say
 * more.
 */
export function createPersonalPayloads(db: Db, dialect: Dialect) {
  const { payloadBlocks, payloads } = dialect.tables
  const kept = createKeptPayloads(db, dialect)

  return {
    async payloadsOfEvents(ids: readonly number[]): Promise<PersonalRow[]> {
      const found = await kept.plain(ids)
      for (const one of await kept.blocksOf(ids)) {
        const unpacked = await kept.unpack(one.block)
        found.push(...one.ids.flatMap((id) => unpacked.get(id) ?? []))
      }
      return found.map(rowOf)
    },

    /** Rows first (`after`: an event), then blocks (negative). */
    async payloadsSaying(texts: readonly string[], after: number): Promise<PersonalPage> {
      const { rows, ...page } = after < 0 ? await packed(-after - 1) : await plain(after)
      const wanted = texts.map((text) => Buffer.from(folded(text)))
      return { ...page, rows: rows.filter((row) => says(row, wanted)).map(rowOf) }
    },

    /** Only where unchanged; `found`: how many were. */
    async swapToRewrite(changes: readonly PersonalChange[]): Promise<{ swap: Swap; found: number }> {
      const wanted = changes.map(asPayloads)
      const ids = [...new Set(wanted.map(({ from }) => from.id))]
      const swap: Swap = { ...NO_SWAP, blocksOut: [], blocksIn: [], rowsChanged: [], sizes: [] }
      const plainRows = await kept.plain(ids)
      const isPlain = new Set(plainRows.map(({ id }) => id))
      let found = 0
      for (const row of plainRows) {
        const to = rewritten(row)
        if (to === null) continue
        found += 1
        swap.rowsChanged.push({ ...to, digest: digestOfPayloads([row]) })
        swap.sizes.push({ id: to.id, size: to.body.byteLength })
      }
      for (const { block } of await kept.blocksOf(ids)) {
        const before = [...(await kept.unpack(block)).values()]
        const made = before.map(rewritten)
        const those = made.filter((one) => one !== null)
        if (those.length === 0) continue
        found += those.length
        swap.blocksOut.push(block.id)
        swap.blocksIn.push(
          await newBlock(
            block.kind,
            before.map((one, nth) => made[nth] ?? one),
          ),
        )
        swap.sizes.push(...those.flatMap(({ id, body }) => (isPlain.has(id) ? [] : [{ id, size: body.byteLength }])))
      }
      return { swap, found }

      function rewritten(now: Payload): Payload | null {
        return wanted.find(({ from }) => isSame(from, now))?.to ?? null
      }
    },
  }

  async function plain(after: number): Promise<{ rows: Payload[]; next: number }> {
    const { eventId, headers, body } = payloads
    const rows = await db
      .select({ id: eventId, headers, body })
      .from(payloads)
      .where(gt(eventId, after))
      .orderBy(asc(eventId))
      .limit(ROWS)
    return { rows, next: rows.length < ROWS ? -1 : (rows.at(-1)?.id ?? 0) }
  }

  async function packed(after: number): Promise<Omit<PersonalPage, 'rows'> & { rows: Payload[] }> {
    const blocks = await db
      .select(kept.blockColumns)
      .from(payloadBlocks)
      .where(gt(payloadBlocks.id, after))
      .orderBy(asc(payloadBlocks.id))
      .limit(BLOCKS)
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
    return { rows, unpacked, broken, next: blocks.length < BLOCKS ? null : -(blocks.at(-1)?.id ?? 0) - 1 }
  }
}

function rowOf({ id, headers, body }: Payload): PersonalRow {
  return { row: String(id), event: id, values: [headers, body] }
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

/** Case-insensitive. */
function says({ headers, body }: Payload, texts: readonly Buffer[]): boolean {
  const said = foldBytes(Buffer.concat([Buffer.from(headers), BETWEEN, body]))
  return texts.some((text) => said.includes(text))
}

const BETWEEN = Buffer.from([0])
