import type { Metric } from '../../domain/metrics/metric.ts'

/** The media type of the text (Prometheus, exposition format 0.0.4). */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics as text, one sample a line; of one without samples its name alone, so that whoever looks for it finds it. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return all.length === 0 ? '' : `{${all.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
