import { hash } from 'node:crypto'
import { once } from 'node:events'
import type pg from 'pg'
import { textOf } from '../tables/statement.ts'

/** Sum of each row's SHA-256, hex at the end: independent of order, as both sides sort texts differently. */
export function createDigest() {
  let sum = 0n
  return {
    add(row: string | Buffer): void {
      sum += BigInt(`0x${hash('sha256', row)}`)
    },
    value: (): string => BigInt.asUintN(256, sum).toString(16).padStart(64, '0'),
  }
}

type Digest = ReturnType<typeof createDigest>

export type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'uuid' | 'bytea'

/** Characters, about; one row may be larger. */
const CHUNK = 256 * 1024

export function* textRows(
  types: readonly ColumnType[],
  rows: Iterable<readonly unknown[]>,
  { digest, onRows }: { digest: Digest; onRows: (rows: number) => void },
): Generator<string, number> {
  let chunk = ''
  let inChunk = 0
  let count = 0
  for (const row of rows) {
    const line = `${types.map((type, index) => written(type, row[index])).join('\t')}\n`
    digest.add(line)
    chunk += line
    inChunk += 1
    if (chunk.length < CHUNK) continue
    yield chunk
    onRows(inChunk)
    count += inChunk
    chunk = ''
    inChunk = 0
  }
  yield chunk
  onRows(inChunk)
  return count + inChunk
}

function written(type: ColumnType, value: unknown): string {
  if (value === null) return '\\N'
  if (type === 'text' && typeof value === 'string') return textOf(value).replace(ESCAPED, (char) => ESCAPES[char] ?? '')
  if ((type === 'bigint' || type === 'integer') && typeof value === 'number') return String(Math.round(value))
  if (type === 'boolean' && typeof value === 'number') return value === 0 ? 'f' : 't'
  if (type === 'bytea' && value instanceof Uint8Array) return `\\\\x${hexOf(value)}`
  if (type === 'uuid' && value instanceof Uint8Array)
    return hexOf(value).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  throw new Error(`A ${typeof value} is no ${type}.`)
}

const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
const ESCAPED = /[\\\b\f\n\r\t\v]/g

function hexOf(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
}

interface Handlers {
  handleCopyInResponse?(connection: pg.Connection): void
  handleCopyData?(message: { chunk: Buffer }): void
  handleCommandComplete?(message: { text: string }): void
}

function submitted(client: pg.Client, statement: string, handlers: Handlers): Promise<void> {
  const done = Promise.withResolvers<void>()
  const submittable = {
    submit: (connection: pg.Connection) => connection.query(statement),
    handleCommandComplete() {},
    ...handlers,
    handleReadyForQuery: () => done.resolve(),
    handleError: done.reject,
  }
  client.query(submittable)
  return done.promise
}

const COPY_DONE = Buffer.from([...Buffer.from('c'), 0, 0, 0, 4])

export async function copyIn(client: pg.Client, statement: string, chunks: Iterable<string>): Promise<number> {
  let taken = 0
  let isRefused = false
  const begun = Promise.withResolvers<pg.Connection>()
  const done = submitted(client, statement, {
    handleCopyInResponse: begun.resolve,
    handleCommandComplete({ text }) {
      taken = Number(text.split(' ')[1])
    },
  })
  done.catch(() => {
    isRefused = true
  })
  const send = async () => {
    const { stream } = await begun.promise
    for (const chunk of chunks) {
      if (isRefused) return
      if (!stream.write(message(chunk))) await once(stream, 'drain')
    }
    stream.write(COPY_DONE)
  }
  await Promise.all([send(), done])
  return taken
}

function message(rows: string): Buffer {
  const length = Buffer.byteLength(rows)
  const bytes = Buffer.allocUnsafe(5 + length)
  bytes.write('d')
  bytes.writeInt32BE(4 + length, 1)
  bytes.write(rows, 5)
  return bytes
}

/** Rows are hashed on arrival; returns their number. */
export async function copyOut(client: pg.Client, statement: string, digest: Digest): Promise<number> {
  let rows = 0
  await submitted(client, statement, {
    handleCopyData({ chunk }) {
      digest.add(chunk)
      rows += 1
    },
  })
  return rows
}
