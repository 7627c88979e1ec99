import { field } from '../../domain/values/field.ts'
import { asRecord, UnexpectedAnswer, type WireRecord } from './read.ts'

/**
 * Reads each record of a list of which every one must be readable: the parts of a record, or the one that was asked for (for
 * other lists see read-rows.ts). The platform also writes a list of one as the record alone, an empty one as nothing.
 */
export function readList<T>(answer: unknown, what: string, read: (record: WireRecord) => T): T[] {
  const all: T[] = []
  for (const value of listOf(answer)) {
    const named = `${what} ${all.length + 1}`
    try {
      all.push(read(asRecord(value)))
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw new UnexpectedAnswer(`${named} ${error.message}`)
      throw error
    }
  }
  return all
}

/** The list in an answer: itself, in an odata envelope (`value`), or the one thing that there is. */
export function listOf(answer: unknown): unknown[] {
  if (answer === null || answer === undefined) return []
  if (Array.isArray(answer)) return answer
  const inner = field(answer, 'value')
  return Array.isArray(inner) ? inner : [answer]
}
