import type { HttpAnswer } from '../../lib/http/http-exchange.ts'
import type { Examined } from '../../ports/examined.ts'
import { statusLine } from '../shared/http-errors.ts'
import { reached } from '../shared/reach.ts'

/** Findings of a HEAD to the address of events. No more can be asked of a receiver that nothing is known of. */
export function judgeReached(answer: HttpAnswer): Examined[] {
  return [reached(answer), judgeStatus(answer.status)]
}

function judgeStatus(status: number): Examined {
  const proves = 'A HEAD proves no more than that: whether it takes events, and knows us, shows with the first one'
  if (status !== 401 && status !== 403) return { what: 'credentials', state: 'note', says: `${proves}.` }
  return {
    what: 'credentials',
    state: 'unknown',
    says: `${proves}. It answered ${statusLine(status)}, though our headers and the query of the url went with it.`,
    todo: 'compare `headers` and the url with what its owner gave you; if it says so to every HEAD, nothing is wrong.',
  }
}
