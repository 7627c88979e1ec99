import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Examined } from '../../ports/examined.ts'
import { isRefusal } from '../shared/examine.ts'
import { statusLine } from '../shared/http-errors.ts'
import { reached } from '../shared/reach.ts'
import type { Api } from './asking/api.ts'
import { type SafeQuestion, safeQuestion } from './mapping/safe-question.ts'
import type { RestOptions } from './schema.ts'

/** The bytes that are read of the answer: that it is one is all that counts. */
const KEEP = 64 * 1024

/** Looks at a system: nothing in it is changed. Throws as a call does where it gets no further. */
export async function examineSystem(api: Api, options: RestOptions, signal: AbortSignal): Promise<Examined[]> {
  const question = safeQuestion(options)
  if (question) return await ask(api, question, signal)
  const answer = await api.reach(signal)
  return [reached(answer), options.auth?.oauth ? TOKEN_GIVEN : UNASKED]
}

async function ask(api: Api, { where, request, statuses }: SafeQuestion, signal: AbortSignal): Promise<Examined[]> {
  const line = `${request.method} ${request.shown} (${where} in config)`
  try {
    const { status } = await api.send(request, { signal, statuses, keep: KEEP })
    const says = `${line} was answered ${statusLine(status)}, so that it takes what we say we are.`
    return [ANSWERS, { what: 'credentials', state: 'ok', says }]
  } catch (error) {
    // A page says nothing of a system. A refusal of a sample does: it is there, and reads what it is asked.
    const isOfSample = error instanceof PermanentError && /^http-4/.test(error.code) && !isRefusal(error)
    if (!isOfSample && !(error instanceof UnknownOutcomeError && error.code.startsWith('http-'))) throw error
    const says = `${line} was refused, perhaps for its sample (${error.code}): whether it knows us cannot be told.`
    return [ANSWERS, { what: 'credentials', state: 'unknown', says, todo: NAME_ONE }]
  }
}

const ANSWERS: Examined = { what: 'connection', state: 'ok', says: 'It answers.' }

const NAME_ONE = 'name a request that only reads, under `examine` of this destination (docs/adapters/rest.md).'

const TOKEN_GIVEN: Examined = {
  what: 'credentials',
  state: 'ok',
  says: 'It gave us a token. What that may do shows with the first call.',
}

const UNASKED: Examined = {
  what: 'credentials',
  state: 'unknown',
  says: 'Nothing in config can be asked of it without changing something: whether it knows us shows with the first call.',
  todo: NAME_ONE,
}
