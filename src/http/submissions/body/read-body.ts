import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { beyondLimits, HARMLESS, type JsonLimits, parseTyped } from '../../../lib/json.ts'
import type { SlicedWork } from '../../../lib/semaphore.ts'
import type { LineFaults } from '../../../storage/rows.ts'
import { createDecoder, hasManyMembers, packingOf } from '../../body.ts'
import type { Readable as Item, Reading, ReadingContext, Resource } from '../reading.ts'

export interface ReadLine extends Item {
  line: number
}

export interface ReadLines {
  lines: ReadLine[]
  refused: number
  faults: LineFaults[]
}

export const LISTED = 1_000

/** Of one item. */
const LINE_LIMITS: JsonLimits = { depth: 64, keys: 5_000, items: 20_000, values: 60_000 }

export async function readItems(
  resource: Resource,
  body: unknown,
  context: ReadingContext,
  work: SlicedWork,
): Promise<ReadLines> {
  const read: ReadLines = { lines: [], refused: 0, faults: [] }
  const objects: unknown[] = Array.isArray(body) ? body : [body]
  let line = 0
  for (const object of objects)
    for (const reading of resource.readObject(object, context)) {
      line += 1
      put(read, line, reading)
      if (work.isDue()) await work.next()
    }
  return read
}

export async function readLines(
  resource: Resource,
  lines: readonly WrittenLine[],
  context: ReadingContext,
  work: SlicedWork,
): Promise<ReadLines> {
  const read: ReadLines = { lines: [], refused: 0, faults: [] }
  for (const { line, bytes } of lines) {
    // Many senders of one long line each: nobody's first line comes before its turn.
    if (work.isDue() || (bytes?.byteLength ?? 0) > HARMLESS) await work.next()
    put(read, line, readLine(resource, bytes, context))
  }
  return read
}

function readLine(resource: Resource, bytes: Buffer | null, context: ReadingContext): Reading {
  if (bytes === null) return { faults: [`the line is longer than ${LONGEST_LINE} bytes`] }
  const beyond = beyondLimits(bytes, LINE_LIMITS)
  if (beyond !== null) return { faults: [`the line: ${beyond}`] }
  try {
    return resource.readLine(parseTyped(bytes), context)
  } catch (error) {
    if (error instanceof SyntaxError) return { faults: [`the line is not JSON: ${error.message}`] }
    throw error
  }
}

function put(read: ReadLines, line: number, reading: Reading): void {
  if (!('faults' in reading)) {
    read.lines.push({ line, ...reading })
    return
  }
  read.refused += 1
  if (reading.faults.length > 0 && read.faults.length < LISTED) read.faults.push({ line, faults: reading.faults })
}

interface WrittenLine {
  /** Empty lines included. */
  line: number
  bytes: Buffer | null
}

/** Read before they are taken: bounds memory and blocking. */
const MAX_LINES = 500
const MAX_BYTES = 1_000_000

/** Bytes. */
const LONGEST_LINE = 256 * 1024

const NEWLINE = 0x0a

export class BrokenOffError extends Error {
  override name = 'BrokenOffError'
  readonly wasSilent: boolean

  constructor(wasSilent = false) {
    super(wasSilent ? 'The sender said nothing for too long.' : 'The sender broke off.')
    this.wasSilent = wasSilent
  }
}

export class UndecodableError extends Error {
  override name = 'UndecodableError'
}

/** `inactivity`: time without data (ms). Throws a BrokenOffError or an UndecodableError. */
export async function* linesOf(request: IncomingMessage, idle: number): AsyncGenerator<WrittenLine[], void, undefined> {
  const splitter = createSplitter()
  for await (const chunk of decoded(request, idle)) for (const lines of splitter.add(chunk)) yield lines
  yield* splitter.end()
}

function createSplitter() {
  let line = 1
  let parts: Buffer[] = []
  let length = 0
  let group: WrittenLine[] = []
  let size = 0

  function extend(part: Buffer): void {
    length += part.byteLength
    if (length > LONGEST_LINE) parts = []
    // A copy, as slices keep their buffer.
    else if (part.byteLength > 0) parts.push(Buffer.from(part))
  }

  function finish(): WrittenLine[] | null {
    const whole = length > LONGEST_LINE ? null : Buffer.concat(parts)
    if (whole === null || whole.some((byte) => byte > 0x20)) group.push({ line, bytes: whole })
    size += Math.min(length, LONGEST_LINE)
    line += 1
    parts = []
    length = 0
    return group.length >= MAX_LINES || size >= MAX_BYTES ? flush() : null
  }

  function flush(): WrittenLine[] | null {
    const full = group
    group = []
    size = 0
    return full.length > 0 ? full : null
  }

  return {
    *add(chunk: Buffer): Generator<WrittenLine[], void, undefined> {
      let start = 0
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start)
        if (end === -1) break
        extend(chunk.subarray(start, end))
        const full = finish()
        if (full) yield full
        start = end + 1
      }
      extend(chunk.subarray(start))
    },
    *end(): Generator<WrittenLine[], void, undefined> {
      const full = (length > 0 ? finish() : null) ?? flush()
      if (full) yield full
    },
  }
}

/** Leaves the connection open for the answer. */
async function* decoded(request: IncomingMessage, idle: number): AsyncGenerator<Buffer, void, undefined> {
  const encoding = packingOf(request.headers['content-encoding']).join()
  const decoder = createDecoder(encoding)
  const source: Readable = decoder ? request.pipe(decoder) : request
  const breakOff = () => {
    if (!request.complete) decoder?.destroy(new BrokenOffError())
  }
  let sent = 0
  const count = (chunk: Buffer) => {
    sent += chunk.byteLength
    if (encoding === 'gzip' && hasManyMembers(chunk)) decoder?.destroy(new Error('gzip of too many members'))
  }
  request.on('close', breakOff)
  if (decoder) request.on('data', count)
  try {
    yield* within(idle, source)
    // A decoder ignores bytes behind the end; they would be lost.
    if (decoder) await toItsEnd(request.unpipe(decoder), idle)
    if (decoder && decoder.bytesWritten !== sent) throw new Error(`bytes follow what is compressed as ${encoding}`)
  } catch (error) {
    if (error instanceof BrokenOffError) throw error
    if (!request.complete) throw new BrokenOffError()
    throw new UndecodableError(`not readable as content-encoding ${encoding}`, { cause: error })
  } finally {
    request.off('close', breakOff)
    request.off('data', count)
    if (decoder) {
      request.unpipe(decoder)
      decoder.destroy()
    }
    request.resume()
  }
}

/** Consumers may take any time. */
async function* within(idle: number, source: Readable): AsyncGenerator<Buffer, void, undefined> {
  const chunks = source.iterator({ destroyOnReturn: false })
  for (;;) {
    const tooLong = Promise.withResolvers<never>()
    const timer = setTimeout(() => tooLong.reject(new BrokenOffError(true)), idle)
    try {
      const next = await Promise.race([chunks.next(), tooLong.promise])
      if (next.done) return
      yield next.value
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Reads away what is still sent. */
async function toItsEnd(request: IncomingMessage, idle: number): Promise<void> {
  try {
    await finished(request.resume(), { writable: false, signal: AbortSignal.timeout(idle), cleanup: true })
  } catch (error) {
    throw new BrokenOffError(error instanceof Error && error.name === 'AbortError')
  }
}
