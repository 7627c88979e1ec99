import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Answer, Api } from './asking/api.ts'
import { refuseWhenSaid } from './asking/refused.ts'
import { buildRequest } from './asking/request.ts'
import { idOf, resultOf } from './mapping/expression.ts'
import { at, withoutData } from './mapping/mapping-error.ts'
import type { RequestTemplate, SearchTemplate } from './mapping/template.ts'

/** A hundred orders are well below it. */
const KEEP = 8 * 1024 * 1024

/** A reading of the system: where config has it, and what it is asked with. */
export interface Reading<Template> {
  /** `oms: orders.search`, for messages. */
  where: string
  template: Template
  input: object
  signal: AbortSignal
}

/** Reads every page, and what a mapping makes of each. 404: there is nothing. */
export async function search<T>(api: Api, reading: Reading<SearchTemplate>, make: (over: object) => T[]): Promise<T[]> {
  try {
    const found: T[] = []
    for await (const over of pages(api, reading)) for (const one of at('answer', () => make(over))) found.push(one)
    return found
  } catch (error) {
    throw withoutData(error, reading.where)
  }
}

async function* pages(api: Api, { where, template, input, signal }: Reading<SearchTemplate>): AsyncGenerator<object> {
  const { paging } = template
  const lenient = { ...template, statuses: { 404: 'done' as const, ...template.statuses } }
  let page: unknown = paging?.first ?? null
  let link: string | null = null
  for (let count = 0; count < (paging?.most ?? 1); count += 1) {
    const answer = await ask(api, { where, template: lenient, input: { ...input, page }, signal }, link)
    if (answer.status === 404) return
    const over = { ...input, page, ...answer }
    yield over
    if (!paging) return
    if (paging.link !== undefined) {
      const next = at('paging', () => at('link', () => idOf(paging.link ?? '', over)))
      if (next === null) return
      link = api.pathOf(next) ?? foreign(where)
    } else {
      const next = at('paging', () => at('next', () => resultOf(paging.next ?? '', over)))
      if (next === undefined || next === null || next === '' || next === page) return
      page = next
    }
  }
}

/** Asks once. Nothing can have happened when it fails, so it never throws UnknownOutcomeError. */
export async function ask(
  api: Api,
  { where, template, input, signal }: Reading<RequestTemplate>,
  link: string | null = null,
): Promise<Answer> {
  const request = buildRequest(template, input)
  const { statuses } = template
  const answer = await api
    .send(link === null ? request : { ...request, path: link }, { signal, statuses, keep: KEEP })
    .catch((error: unknown) => {
      if (!(error instanceof UnknownOutcomeError)) throw error
      throw new RetryLaterError(error.message, { code: error.code, cause: error.cause })
    })
  if (answer.answer === null && answer.status < 300 && answer.status !== 204)
    throw new RetryLaterError(`${where}: the answer is not JSON, or longer than ${KEEP / 1024 / 1024} MB`, {
      code: 'unreadable-answer',
    })
  refuseWhenSaid(where, template, { ...input, ...answer })
  return answer
}

function foreign(where: string): never {
  throw new PermanentError(`${where}.paging.link leads away from the url in config`, { code: 'foreign-link' })
}
