import { beyondLimits, type JsonLimits } from '../../../lib/json-shape.ts'
import type { SlicedWork } from '../../../lib/slices.ts'
import type { LineFaults } from '../../../store/screens.ts'
import type { Reading, ReadingContext, Resource } from '../resources/resource.ts'
import type { ReadLine } from '../take.ts'
import { LONGEST_LINE, type WrittenLine } from './ndjson.ts'
import { parseTyped } from './typed-json.ts'

/** Items as they were read, and what is wrong with the others. */
export interface ReadLines {
  lines: ReadLine[]
  /** How many cannot be taken. */
  refused: number
  /** The first of them. */
  faults: LineFaults[]
}

/** The most faults that are kept: a body may hold millions. */
export const LISTED = 1_000

/** What a line may hold: one item, whose lists have 5,000 entries at most. */
const LINE_LIMITS: JsonLimits = { depth: 64, keys: 5_000, items: 20_000, values: 60_000 }

/** Reads the items of a JSON body that was parsed: one object, or a list of them. */
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

/** Reads lines of NDJSON: what is wrong with a line is its fault. */
export async function readLines(
  resource: Resource,
  lines: readonly WrittenLine[],
  context: ReadingContext,
  work: SlicedWork,
): Promise<ReadLines> {
  const read: ReadLines = { lines: [], refused: 0, faults: [] }
  for (const { line, bytes } of lines) {
    put(read, line, readLine(resource, bytes, context))
    if (work.isDue()) await work.next()
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

/** Items of a group without faults of their own may be refused with the others: they are not listed. */
function put(read: ReadLines, line: number, reading: Reading): void {
  if (!('faults' in reading)) {
    read.lines.push({ line, ...reading })
    return
  }
  read.refused += 1
  if (reading.faults.length > 0 && read.faults.length < LISTED) read.faults.push({ line, faults: reading.faults })
}
