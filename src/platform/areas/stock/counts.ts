import { field, flag, idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import {
  decimal,
  isRecord,
  type Listed,
  listOf,
  orNone,
  readList,
  readListed,
  requiredId,
  type WireRecord,
} from '../../http/read.ts'

export interface CountBatch {
  countId: string
  name: string | null
  stockId: string | null
  stockExtId: string | null
  /** Times as written: their zone is not shown. */
  countedAt: string | null
  insertedAt: string | null
  /** Whether the levels were set by it; null: it does not say. */
  isReconciled: boolean | null
  isDeleted: boolean
  record: WireRecord
}

export interface Count extends CountBatch {
  lines: CountLine[]
}

interface CountLine {
  gtin: string | null
  externalSku: string | null
  productId: string | null
  quantity: Decimal | null
  /** false: the platform could not tell what was counted. */
  isValid: boolean | null
}

/** Counts of stocks. Not in the spec. */
export interface Counts {
  /** GET /api/Stock/count/batches: one page, from 1; of 25 if nobody says. The newest first is presumed only. */
  list(page: { number: number; size?: number }, signal?: AbortSignal): Promise<Listed<CountBatch>>
  /** GET /api/Stock/count/batch/{id}; null: there is none. */
  read(countId: string, signal?: AbortSignal): Promise<Count | null>
}

export function createCounts(client: Client): Counts {
  return {
    async list({ number, size = 25 }, signal) {
      const listed = await client.read(
        'counts.list',
        { query: { pageNumber: number, pageSize: size }, signal },
        (answer) => readListed(pageOf(answer), 'count', readBatch),
      )
      client.aside('counts.list', `page ${number}`, listed.aside)
      return listed
    },

    async read(countId, signal) {
      const found = client.read('counts.read', { path: { countId }, signal }, (answer) => {
        const [record] = listOf(answer)
        return isRecord(record) ? { ...readBatch(record), lines: readLines(record) } : null
      })
      return await orNone(found, null)
    },
  }
}

/** A list, or a page that holds one. */
function pageOf(answer: unknown): unknown {
  return isRecord(answer)
    ? (field(answer, 'value') ?? field(answer, 'item1') ?? field(answer, 'items') ?? answer)
    : answer
}

function readBatch(record: WireRecord): CountBatch {
  return {
    countId: requiredId(record, 'stockCountId', 'id'),
    name: text(record, 'name'),
    stockId: idText(record, 'stockId'),
    stockExtId: text(record, 'extStockId'),
    countedAt: text(record, 'dateCounted'),
    insertedAt: text(record, 'ins'),
    isReconciled: flag(record, 'isReconciled'),
    isDeleted: flag(record, 'deleted') ?? false,
    record,
  }
}

function readLines(record: WireRecord): CountLine[] {
  return readList(field(record, 'countDetails'), 'counted line', (line) => ({
    gtin: text(line, 'gtin'),
    externalSku: text(line, 'externalSku'),
    productId: idText(line, 'productId'),
    quantity: decimal(line, 'qty'),
    isValid: flag(line, 'isValid'),
  }))
}
