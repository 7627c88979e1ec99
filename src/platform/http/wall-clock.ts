import { requiredText, UnexpectedAnswer, type WireRecord } from './read.ts'

/** A store's wall clock as the platform wrote it: text that begins with a day. Throws where it does not. */
export function wallClock(record: WireRecord, name: string): string {
  const found = requiredText(record, name)
  if (/^\d{4}-\d\d-\d\d([T ]|$)/.test(found)) return found
  throw new UnexpectedAnswer(`has a ${name} that is not a datetime`)
}
