import { PermanentError } from '../../../domain/values/errors.ts'
import { type ExpressionFault, isNoFunction } from '../../../lib/jsonata.ts'

/** A mapping of the config does not do for an input. */
export class MappingError extends Error {
  override name = 'MappingError'
  /** Where it stands below its request, from the outside in. */
  readonly place: readonly string[]
  /** The fault as JSONata tells it. Its words may show data, so they are for samples only. */
  readonly fault: ExpressionFault | null

  constructor(message: string, fault: ExpressionFault | null = null, place: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.place = place
  }
}

/** Carries something out for a place of the config (`body`): its mapping errors say where they come from. */
export function at<T>(place: string, carryOut: () => T): T {
  try {
    return carryOut()
  } catch (error) {
    throw error instanceof MappingError ? new MappingError(error.message, error.fault, [place, ...error.place]) : error
  }
}

/** A fault in JSONata's own words, but where they are hard to understand. */
export function shownFault({ code, message, position }: ExpressionFault): string {
  const words = isNoFunction({ code }) ? 'there is no such function' : (message.split('\n')[0] ?? '')
  return position === null ? words : `${words} (at character ${position})`
}

/** The error as everybody outside sees it: nothing of the data that the mapping worked on is in it. */
export function withoutData(error: unknown, where: string): unknown {
  if (!(error instanceof MappingError)) return error
  const { message, fault, place } = error
  const position = fault?.position ? ` at character ${fault.position}` : ''
  const why = fault ? ` (JSONata ${fault.code}${position})` : ''
  return new PermanentError(`${[where, ...place].join('.')}: ${message}${why}`, { code: 'bad-mapping' })
}
