import { RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Answer, Api } from './asking/api.ts'
import { refuseWhenSaid } from './asking/refused.ts'
import { buildRequest } from './asking/request.ts'
import type { RequestTemplate } from './mapping/template.ts'

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
