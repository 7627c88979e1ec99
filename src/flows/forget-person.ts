import { type Notice, PERSON_FORGOTTEN } from '../domain/people/erasing/notice.ts'
import { payloadOf } from '../domain/queue/event.ts'
import { PermanentError } from '../domain/values/errors.ts'
import type { Flow } from './flow.ts'

/**
 * Destinations that were told of a person are told to forget them (GDPR, article 19). To forget one twice does nothing twice. The
 * event names nobody: what the destination has to know is sealed in it, and its key goes once that has been told.
 */
export const forgetPerson: Flow = {
  name: 'forget-person',
  kinds: [PERSON_FORGOTTEN],
  port: 'customers',
  method: 'erase',
  urgency: 'bulk',
  needsNotice: true,
  plan: ({ payload }) => [{ part: '', entity: null, to: Object.keys((payload as Notice).sealed) }],
  call(event, _step, { notice }) {
    if (notice) return { port: 'customers', method: 'erase', argument: notice }
    throw new PermanentError(
      `whom ${(payloadOf(event) as Notice).person} stands for is not known any more: the key of this notice is gone`,
      { code: 'notice-over' },
    )
  },
}
