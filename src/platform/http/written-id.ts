import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { text } from '../../domain/values/field.ts'
import type { Known } from './known-from.ts'
import { isRecord } from './read.ts'

/**
 * The id that a write answered, where it is known that it answers one: alone, as number or text, or in a record as the field
 * `name` or `id`. The client has refused an id alone that is 0 or below (PermanentError `refused`); here the one in a record
 * is. Without an id it is an UnknownOutcomeError `no-id`: it was sent, and nothing says what came of it. It may even be
 * another endpoint that answered.
 */
export function idOfWritten(answer: unknown, operation: string, name: string): string {
  const id = idIn(answer, operation, name, NUMBER)
  if (id === null)
    throw new UnknownOutcomeError(`platform: ${operation} was answered without its ${name}.`, { code: 'no-id' })
  return id
}

/**
 * The same where nobody may have shown the answer: then a success is one whatever stands in it, and without an id it gives
 * null. But a list is what a search answers, and a record may say that it failed: those are UnknownOutcomeErrors.
 */
export function idIfShown(answer: unknown, operation: string, name: string, { answer: from }: Known): string | null {
  if (from !== 'guess') return idOfWritten(answer, operation, name)
  const id = idIn(answer, operation, name, NUMBER_OR_GUID)
  if (id !== null) return id
  const but = Array.isArray(answer)
    ? 'with a list'
    : isRecord(answer) && saysFailed(answer)
      ? 'it says that it failed'
      : ''
  if (but === '') return null
  throw new UnknownOutcomeError(`platform: ${operation} was answered with success, but ${but}.`, { code: 'no-success' })
}

const NUMBER = /^-?\d{1,15}$/

/** Some records of the platform have a GUID for an id (spec, "Omnichannel order update webhook payload"). */
const NUMBER_OR_GUID = /^(-?\d{1,15}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

function idIn(answer: unknown, operation: string, name: string, shape: RegExp): string | null {
  const record = isRecord(answer) ? answer : { id: answer }
  const id = [text(record, name), text(record, 'id')].find((one) => one !== null && shape.test(one))
  if (!id) return null
  if (!isNone(id)) return id
  const message = `platform: ${operation} answered the ${name} ${id}, which means that it was not carried out.`
  throw new PermanentError(message, { code: 'refused' })
}

/** 0 or below, or a GUID of zeros. */
function isNone(id: string): boolean {
  return Number(id) <= 0 || /^[0-]+$/.test(id)
}

/** As programs write it: `success: false`, an `error`, some `errors`. */
function saysFailed(record: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(record).some(([name, value]) => {
    if (/^(is)?(success(ful)?|succeeded|ok)$/i.test(name)) return value === false
    if (!/^errors?$/i.test(name)) return false
    return Array.isArray(value) ? value.length > 0 : value !== null && value !== false && value !== ''
  })
}
