/** The content of a request, once its keys are checked. */
export interface Asked {
  path: string
  /** Values as they came: a text, or a list where the name came more than once. */
  query: Readonly<Record<string, unknown>>
  body: unknown
  /** Names in lower case. */
  headers: Readonly<Record<string, unknown>>
}

/** One operation of a dialect, as its document shows it. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/api/Webhooks/{webhookId}`; letters count. */
  path: string
  /** The question that the API behind is asked for it; Refusal: the request is not one that this dialect takes. */
  ask(asked: Asked): Asked
  /** The answer where the API behind has done it; null: 200, and nothing. */
  answer: ((body: unknown, asked: Asked) => unknown) | null
}

/** The operation that a request means; null: there is none. The first that fits counts. */
export function operationFor(operations: readonly Operation[], method: string, path: string): Operation | null {
  return operations.find((one) => one.method === method && matches(one.path, path)) ?? null
}

function matches(template: string, path: string): boolean {
  const parts = template.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  )
}
