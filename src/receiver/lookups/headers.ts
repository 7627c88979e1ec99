import type { Response } from 'express'
import type { Answers } from './ask.ts'

/** Says who answered, and who did not. */
export function nameSources(
  response: Response,
  { answered, missing }: Pick<Answers<unknown>, 'answered' | 'missing'>,
): void {
  response.set('Tillbridge-Sources', answered.map(({ source }) => source).join(', '))
  if (missing.length > 0) response.set('Tillbridge-Missing', missing.join(', '))
}
