import { z } from 'zod'

/** An answer of a GraphQL server: data, errors, or both. */
export const GraphqlAnswer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string().nullish() }).nullish() })).nullish(),
})

export type GraphqlAnswer = z.output<typeof GraphqlAnswer>

/** A refusal that Vendure gives as an answer, not as an error. Its message may say back what was sent. */
const ErrorResult = z.object({ errorCode: z.string().regex(/^[A-Z_]{1,80}$/) })

/** The part of an error that may be shown: its code. */
export function errorCodeOf({ errors }: GraphqlAnswer): string | null {
  if (!errors || errors.length === 0) return null
  const code = errors[0]?.extensions?.code ?? ''
  return /^[A-Z_]{1,80}$/.test(code) ? code : 'INTERNAL_SERVER_ERROR'
}

/** The code of an ErrorResult; null where it is the thing itself. */
export function refusalOf(result: unknown): string | null {
  const parsed = ErrorResult.safeParse(result)
  return parsed.success ? parsed.data.errorCode : null
}

/** Codes of errors by which the server says that it did nothing, and never will. */
export const REFUSING = new Set([
  'FORBIDDEN',
  'UNAUTHORIZED',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'BAD_USER_INPUT',
  'USER_INPUT_ERROR',
  'ENTITY_NOT_FOUND',
  'ILLEGAL_OPERATION',
  'CHANNEL_NOT_FOUND',
])

/** Those of them that are about what was sent. */
export const ABOUT_THE_INPUT = new Set(['BAD_USER_INPUT', 'USER_INPUT_ERROR', 'ENTITY_NOT_FOUND', 'ILLEGAL_OPERATION'])

/** Refusals that may be over later: goods that are not in stock yet, a carrier that does not answer. */
export const LATER = new Set([
  'INSUFFICIENT_STOCK_ERROR',
  'INSUFFICIENT_STOCK_ON_HAND_ERROR',
  'CREATE_FULFILLMENT_ERROR',
])
