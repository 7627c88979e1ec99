import { PermanentError, UnknownOutcomeError } from '../domain/errors.ts'
import { text } from '../domain/field.ts'
import { isRecord } from './read.ts'

/**
 * The id that a write answered: alone, as number or text, or in a record as the field `name` or `id`. The client has refused
 * an id alone that is 0 or below (PermanentError `refused`); here the one in a record is. Without an id it is an
 * UnknownOutcomeError `no-id`: it was sent, and nothing says what came of it. It may even be another endpoint that answered.
 */
export function idOfWritten(answer: unknown, operation: string, name: string): string {
  const record = isRecord(answer) ? answer : { id: answer }
  const found = [text(record, name), text(record, 'id')].find((id) => id !== null && /^-?\d{1,15}$/.test(id))
  if (!found) throw new UnknownOutcomeError(`platform: ${operation} was answered without a ${name}.`, { code: 'no-id' })
  if (Number(found) > 0) return found
  const message = `platform: ${operation} answered the ${name} ${found}, which means that it was not carried out.`
  throw new PermanentError(message, { code: 'refused' })
}
