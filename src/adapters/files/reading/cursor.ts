import { z } from 'zod'
import type { IntakeLine } from '../../../ports/intake.ts'
import { RESOURCES } from '../read-options.ts'

/** How far files were read. The hub keeps it as text. */
const Position = z.object({
  /** Files that are done with: it moves with each. */
  files: z.int().default(0),
  /** The file that is being read, what its lines are named by, and where in it; null: none that a line was taken of. */
  reading: z
    .object({ id: z.string(), digest: z.string(), key: z.string(), offset: z.int(), line: z.int() })
    .nullable()
    .default(null),
  /** How much of it a first reading has seen (bytes). */
  surveyed: z.int().default(0),
  /** Names of files that were told of as unreadable, and are there still. */
  unnameable: z.array(z.string()).default([]),
  /** The content that was read last of each resource, and what its lines were named by. */
  last: z.partialRecord(z.enum(RESOURCES), z.object({ digest: z.string(), key: z.string() })).default({}),
})
export type Position = z.output<typeof Position>

const BEGINNING = Position.parse({})

/** The position that a cursor tells. One that cannot be read is as good as none: keys tell what was taken. */
export function readCursor(cursor: string | null): Position {
  if (cursor === null) return BEGINNING
  try {
    return Position.parse(JSON.parse(cursor))
  } catch {
    return BEGINNING
  }
}

export function cursorOf(position: Position): string {
  return JSON.stringify(position)
}

/**
 * The name of the lines of a file: its content, and that it was put there; so they count once, however often it is read. The
 * same content once more right after is the same file. Later it is another one: what it says may have changed meanwhile.
 */
export function keyOf({ reading, last }: Position, resource: IntakeLine, digest: string, id: string): string {
  const before = last[resource]
  if (before?.digest === digest) return before.key
  return reading?.digest === digest ? reading.key : `${digest}-${id}`
}
