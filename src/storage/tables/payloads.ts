import {
  BrokenPayloadError,
  type CompressedPayload,
  decompressPayload,
  type Payload,
  type StoredPayload,
} from '../payload.ts'
import { first, query, type Steps, statement } from './statement.ts'

const getPayloads = statement<StoredPayload>(
  'select event_id as id, headers, body, dictionary from payloads where event_id = any($1::bigint[])',
)

/** Those not stored or broken are left out, as work must go on. */
export function* payloadsOf(events: readonly number[]): Steps<ReadonlyMap<number, Payload>> {
  const stored = events.length === 0 ? [] : yield* query(getPayloads, [events])
  return new Map(stored.flatMap(readable).map((payload) => [payload.id, payload]))
}

function readable(stored: StoredPayload): Payload[] {
  try {
    return [decompressPayload(stored)]
  } catch (error) {
    if (error instanceof BrokenPayloadError) return []
    throw error
  }
}

// Setting the id moves the row: written over where it is, it would leave SQLite's page as large as it was.
const compressPayload = statement<{ id: number }>(`
  update payloads set event_id = event_id, headers = '', body = $2, dictionary = $3
    where event_id = $1 and dictionary is null and headers = $4 and body = $5 returning event_id as id`)

/** Those that are still as they were read; returns which. */
export function* writeCompressed(rows: readonly CompressedPayload[]): Steps<number[]> {
  const written: number[] = []
  for (const { plain, body, dictionary } of rows) {
    const values = [plain.id, asBuffer(body), dictionary, plain.headers, asBuffer(plain.body)]
    written.push(...(yield* query(compressPayload, values)).map(({ id }) => id))
  }
  return written
}

const lockPayload = statement<StoredPayload>(
  'select event_id as id, headers, body, dictionary from payloads where event_id = $1 for update',
)
const setPayload = statement(`
  insert into payloads (event_id, headers, body) values ($1, $2, $3)
    on conflict (event_id) do update set headers = $2, body = $3, dictionary = null`)
const setSize = statement('update events set size = $2 where id = $1')

/** Another body under the same headers. */
export function* replacePayload(event: number, body: Uint8Array): Steps<void> {
  const [before] = (yield* query(lockPayload, [event])).flatMap(readable)
  yield* query(setPayload, [event, before?.headers ?? '{}', asBuffer(body)])
}

/** One that is still as it was read; returns its id. */
export function* rewritePayload(from: Payload, to: Payload): Steps<number[]> {
  const stored = yield* first(lockPayload, [from.id])
  if (!stored) return []
  const { headers, body } = decompressPayload(stored)
  if (headers !== from.headers || Buffer.compare(body, from.body) !== 0) return []
  yield* query(setPayload, [to.id, to.headers, asBuffer(to.body)])
  yield* query(setSize, [to.id, to.body.byteLength])
  return [to.id]
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
