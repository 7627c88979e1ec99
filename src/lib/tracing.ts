import { AsyncLocalStorage } from 'node:async_hooks'

type Attributes = Record<string, string | number | number[]>

export interface Span {
  /** W3C Trace Context, for what it causes. */
  traceparent: string
  end(attributes: Attributes, isFailed?: boolean): void
}

export interface Tracing extends AsyncDisposable {
  /** `parent`: a traceparent, or anything else for a new trace. */
  begin(name: string, kind: 'server' | 'consumer' | 'client', parent: string | undefined, attributes: Attributes): Span
}

/** Within which span a call runs: each HTTP request of it is a span of its own, and tells its traceparent. */
export const activeSpan = new AsyncLocalStorage<Pick<Span, 'traceparent'> & { tracing: Tracing }>()
