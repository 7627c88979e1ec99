/** An error of the GraphQL answer, with Vendure's code. The status of most is 200. */
export class GraphqlFault extends Error {
  readonly code: string | null
  readonly status: number

  constructor(message: string, code: string | null, status = 200) {
    super(message)
    this.code = code
    this.status = status
  }

  toJSON() {
    return { message: this.message, ...(this.code && { extensions: { code: this.code } }) }
  }
}

/** A refusal that is an answer: what a union's `... on ErrorResult` shows. */
export interface Refused {
  __typename: string
  errorCode: string
  [name: string]: unknown
}

/** `QuantityTooGreatError` has the code QUANTITY_TOO_GREAT_ERROR. */
export function refused(__typename: string, more: Record<string, unknown> = {}): Refused {
  const errorCode = __typename.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
  return { __typename, errorCode, ...more }
}

export function isRefused(value: unknown): value is Refused {
  return typeof Object(value).errorCode === 'string'
}

export function notFound(what: string, id: string): GraphqlFault {
  return new GraphqlFault(`No ${what} with the id "${id}" could be found`, 'ENTITY_NOT_FOUND')
}
