import { mappingRemedy } from '../../domain/health/rows-aside.ts'
import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { flag, text } from '../../domain/values/field.ts'
import { isId } from '../../domain/values/id.ts'
import type { Known } from './known-from.ts'
import { isRecord, type WireRecord } from './read.ts'

/**
 * The id that a write answered, where it is known that it answers one: alone, as number or text, or in a record as the field
 * `name` or `id`. The client has refused an id alone that is 0 or below (PermanentError `refused`); here the one in a record
 * is. Without an id it is an UnknownOutcomeError `no-id`: it was sent, and nothing says what came of it. It may even be
 * another endpoint that answered.
 */
export function idOfWritten(answer: unknown, operation: string, name: string): string {
  return idOrThrow(idIn(answer, operation, name, NUMBER), operation, name)
}

function idOrThrow(id: string | null, operation: string, name: string): string {
  if (id !== null) return id
  const message = `platform: ${operation} was answered without its ${name}. If it stands elsewhere in the answer: ${mappingRemedy(operation)}.`
  throw new UnknownOutcomeError(message, { code: 'no-id' })
}

/**
 * The same where nobody may have shown the answer: then a success is one whatever stands in it, and without an id it gives
 * null. But a list is what a search answers: that is an UnknownOutcomeError, as is a record that says that it failed.
 */
export function idIfShown(answer: unknown, operation: string, name: string, { answer: from }: Known): string | null {
  if (from === 'spec' || from === 'public') return idOfWritten(answer, operation, name)
  const id = idIn(answer, operation, name, NUMBER_OR_GUID)
  if (from === 'config') return idOrThrow(id, operation, name)
  if (id !== null) return id
  if (Array.isArray(answer)) throw noSuccess(`platform: ${operation}`, 'with a list')
  return null
}

/**
 * Throws an UnknownOutcomeError `no-success` where the answer to a write says that it failed, whatever its status says. A record with
 * an id is what was written or asked for, and speaks of itself: an event of the log says whether it came through.
 */
export function checkCarriedOut(answer: unknown, what: string): void {
  if (!isRecord(answer) || !saysFailed(answer)) return
  const isThing = Object.keys(answer).some((name) => {
    const id = /id$/i.test(name) ? text(answer, name) : null
    return id !== null && NUMBER_OR_GUID.test(id) && !isNoneId(id)
  })
  if (!isThing) throw noSuccess(what, 'it says that it failed')
}

function noSuccess(what: string, but: string): UnknownOutcomeError {
  return new UnknownOutcomeError(`${what} was answered with success, but ${but}.`, { code: 'no-success' })
}

const NUMBER = /^-?\d{1,15}$/

/** Some records of the platform have a GUID for an id (spec, "Omnichannel order update webhook payload"). */
export const NUMBER_OR_GUID = /^(-?\d{1,15}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

function idIn(answer: unknown, operation: string, name: string, shape: RegExp): string | null {
  const record = isRecord(answer) ? answer : { id: answer }
  const id = [text(record, name), text(record, 'id')].find((one) => one !== null && shape.test(one))
  if (!id) return null
  if (!isNoneId(id)) return id
  const message = `platform: ${operation} answered the ${name} ${id}, which means that it was not carried out.`
  throw new PermanentError(message, { code: 'refused' })
}

/** 0 or below, or a GUID of zeros. */
export function isNoneId(id: string): boolean {
  return Number(id) <= 0 || !isId(id)
}

/** As programs write it: `success: false`, an `error`, some `errors`. */
function saysFailed(record: WireRecord): boolean {
  return Object.keys(record).some((name) => {
    if (/^(is)?(success(ful)?|succeeded|ok)$/i.test(name)) return flag(record, name) === false
    return /^(has)?errors?$/i.test(name) && isSomething(record[name])
  })
}

/** Whether there is an error at all. */
function isSomething(errors: unknown): boolean {
  if (typeof errors === 'object' && errors !== null) return Object.keys(errors).length > 0
  return Boolean(errors) && flag({ errors }, 'errors') !== false
}
