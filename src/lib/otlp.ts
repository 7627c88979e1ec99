import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type HttpClient, targetOf } from './http/http.ts'
import type { Logger } from './logger.ts'
import { OWN_VERSION } from './own-version.ts'
import { activeSpan, type Tracing } from './tracing.ts'

interface Options {
  endpoint: string
  headers: Record<string, string>
  /** Of traces that begin here, 0 to 1. */
  ratio: number
  service: string
}

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT }

/** Spans to a collector by OTLP over HTTP (JSON), in batches; while it is away, they are dropped. */
export function openOtlp(options: Options, http: HttpClient, logger: Logger): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service, 'service.version': OWN_VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: createExporter(options, http, logger) })],
  })
  const tracer = provider.getTracer('tillbridge', OWN_VERSION)
  return {
    begin(name, kind, parent, attributes) {
      const remote = parseTraceParent(parent ?? '')
      const context = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context)
      const { traceId, spanId, traceFlags } = span.spanContext()
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end(more, isFailed = false) {
          if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.setAttributes(more).end()
        },
      }
    },
    // What is still unsent when the collector is away is lost.
    [Symbol.asyncDispose]: () => provider.shutdown().catch(() => {}),
  }
}

function createExporter({ endpoint, headers }: Options, http: HttpClient, logger: Logger): SpanExporter {
  let isAway = false
  // As OTEL_EXPORTER_OTLP_ENDPOINT (a base) and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT are read.
  const target = targetOf(new URL(endpoint).pathname === '/' ? new URL('/v1/traces', endpoint).href : endpoint)
  return {
    export(spans, done) {
      const body = JsonTraceSerializer.serializeRequest(spans) ?? null
      const request = { ...target, method: 'POST' as const, body }
      const described = { 'content-type': 'application/json', ...headers }
      // The batch may have begun within a span; its own request is none.
      const sent = activeSpan.exit(() => http.send({ ...request, headers: described }))
      void sent.then((result) => {
        const status = result.type === 'answered' ? result.answer.status : null
        const isTaken = status !== null && status < 300
        if (!isTaken && !isAway)
          logger.warn({ status, ...('fault' in result && { why: result.fault.message }) }, 'tracing.not-sent')
        isAway = !isTaken
        done({ code: isTaken ? ExportResultCode.SUCCESS : ExportResultCode.FAILED })
      })
    },
    shutdown: async () => {},
  }
}
