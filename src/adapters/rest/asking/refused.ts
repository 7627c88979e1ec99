import { PermanentError, RetryLaterError } from '../../../domain/values/errors.ts'
import { holds } from '../mapping/expression.ts'
import { at } from '../mapping/mapping-error.ts'
import type { RequestTemplate } from '../mapping/template.ts'

/** Throws where config has it that a good answer says otherwise (`refusedWhen`, `laterWhen`). */
export function refuseWhenSaid(where: string, template: RequestTemplate, over: object): void {
  const { refusedWhen, laterWhen } = template
  if (refusedWhen !== undefined && at('refusedWhen', () => holds(refusedWhen, over)))
    throw new PermanentError(`${where}: the answer says that it was refused`, {
      code: 'refused',
      mayBeWide: true,
    })
  if (laterWhen !== undefined && at('laterWhen', () => holds(laterWhen, over)))
    throw new RetryLaterError(`${where}: the answer says that it may work later`, { code: 'refused-for-now' })
}
