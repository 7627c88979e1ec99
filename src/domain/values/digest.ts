import { createHash } from 'node:crypto'

/** Names what is sent, so that the same again is known. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)
}
