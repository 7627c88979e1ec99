import type { Settlement as Read } from '../../../domain/books/settlement.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import { readSettlement as read } from '../../../payloads/settlement.ts'
import { UnexpectedAnswer, type WireRecord } from '../../http/read.ts'

/** A settlement, and what the platform wrote: it names the person who settled. */
export interface Settlement extends Read {
  record: WireRecord
}

/** Reads a settlement of an answer, of either version. */
export function readSettlement(record: WireRecord): Settlement {
  try {
    return { ...read(record), record }
  } catch (error) {
    if (error instanceof PermanentError) throw new UnexpectedAnswer(error.message)
    throw error
  }
}
