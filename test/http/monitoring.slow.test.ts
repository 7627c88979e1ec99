import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { JOB_NAMES } from '../../src/config/jobs.ts'
import { ALARM_RULES } from '../../src/domain/alarms/rules.ts'
import { type Measured, metricsOf } from '../../src/domain/health/hub-metrics.ts'
import { createHistogram } from '../../src/domain/health/timings.ts'
import { metricsText } from '../../src/http/metrics.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { busTo, createFolder, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { readOpenMetrics } from './openmetrics.ts'

const NO_PROMETHEUS = spawnSync('prometheus', ['--version']).status !== 0
const RULES = 'docs/monitoring/alerts.yml'
const DASHBOARD = 'docs/monitoring/grafana-dashboard.json'

/** Every query of the rules and of the dashboard, as Grafana fills in its variables. A rule's comparison is left out: nothing is wrong here. */
function queries(): string[] {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { expr: string }[] }[] }
  const rules = groups.flatMap((group) => group.rules.map(({ expr }) => withoutVerdict(expr)))
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: { targets: { expr: string }[] }[] }
  const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => withoutVerdict(expr)))
  return [...rules, ...shown].map((expr) =>
    expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(destination|job)/g, '.+'),
  )
}

function withoutVerdict(expr: string): string {
  return expr.replace(/ (==|>) [\d.]+$/, '').replace(/^absent\((.*)\)$/, '$1')
}

/** A hub that has delivered, was refused, has one delivery dead and one waiting, and refused a stranger. */
async function startBusy() {
  await using opened = new AsyncDisposableStack()
  const [good, bad, down] = [
    opened.use(await startSink()),
    opened.use(await startSink()),
    opened.use(await startSink()),
  ]
  bad.play({ status: 400 })
  down.play({ status: 503 })
  const destinations = { good: busTo(good.url), bad: busTo(bad.url), down: busTo(down.url) }
  const hub = opened.use(await startTestHub({ destinations }))
  await hub.post('SaleCreated', sale())
  await hub.post('SaleCreated', sale(), { token: 'the token of a stranger' })
  await hub.admin('jobs/alarms/run', {})
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'prometheus', may: 'read:metrics' })).body
  await Promise.all([good.until(1), bad.until(1), down.until(1)])
  const scrape = (accept = '*/*') => hub.ask('/metrics', { headers: { authorization: `Bearer ${key}`, accept } })
  const scope = opened.move()
  return { hub, key, scrape, [Symbol.asyncDispose]: () => scope.disposeAsync() }
}

test('whoever asks for OpenMetrics gets it by its grammar, and others the text format of Prometheus', async () => {
  await using busy = await startBusy()
  await eventually(async () => {
    const { text, headers } = await busy.scrape('application/openmetrics-text; version=1.0.0, text/plain;q=0.5')
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    const families = readOpenMetrics(text)
    const valueIn = (name: string, labels: Record<string, string>) =>
      families
        .flatMap(({ samples }) => samples)
        .find((one) => one.name === name && Object.entries(labels).every(([label, is]) => one.labels.get(label) === is))
        ?.value
    expect(valueIn('tillbridge_accept_duration_seconds_count', {})).toBe(1)
    expect(valueIn('tillbridge_delivery_duration_seconds_count', { destination: 'good' })).toBe(1)
    expect(valueIn('tillbridge_delivery_duration_seconds_count', { destination: 'bad' })).toBe(0)
    expect(valueIn('tillbridge_attempt_duration_seconds_count', { destination: 'bad' })).toBe(1)
    expect(valueIn('tillbridge_attempts_total', { destination: 'good', outcome: 'delivered' })).toBe(1)
    expect(valueIn('tillbridge_attempts_total', { destination: 'bad', outcome: 'dead' })).toBe(1)
    expect(valueIn('tillbridge_attempts_total', { destination: 'down', outcome: 'retry' })).toBeGreaterThan(0)
  }, 20_000)
  for (const accept of ['*/*', 'text/plain', 'application/openmetrics-text; version=0.0.1, text/plain;q=0.5']) {
    const { text, headers } = await busy.scrape(accept)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('# TYPE tillbridge_attempts_total counter')
    expect(text).not.toContain('# EOF')
  }
})

test('a help text and labels with quotes, backslashes and line breaks keep to the grammar', () => {
  const samples = [{ labels: { reason: 'a "b"\\\nc' }, value: 1e-7 }]
  const [family] = readOpenMetrics(
    metricsText([{ name: 'm_total', help: 'A "b" \\ c\nd', type: 'counter', samples }], 'openmetrics'),
  )
  expect(family).toMatchObject({ name: 'm', samples: [{ name: 'm_total', value: 1e-7 }] })
})

test('a value on a bound counts below it, one above all bounds in the last bucket, and one below zero as zero', () => {
  const histogram = createHistogram([0.1, 1])
  for (const ms of [100, 500, 1_000, 7_000, -3_000]) histogram.observe(ms)
  expect(histogram.values()).toEqual({ bounds: [0.1, 1], counts: [2, 2, 1], sum: 8.6 })
})

test('what 20 destinations with every state and outcome cost is less than 200 KB and 5 ms', () => {
  const histogram = createHistogram(Array.from({ length: 13 }, (_, nth) => nth + 0.25))
  const names = Array.from({ length: 20 }, (_, nth) => `destination-with-a-long-name-${nth}`)
  const outcomes = { delivered: 1e9, retry: 1e9, dead: 1e9, unknown: 1e9, held: 1e9, superseded: 1e9, wait: 1e9 }
  const values = histogram.values()
  const counts = { waiting: 1e9, held: 1e9, dead: 1e9, oldest: 1.7e12 }
  const measured: Measured = {
    ...{
      version: '1.2.3',
      readAt: 1.7e12,
      rules: ALARM_RULES,
      active: [],
      own: { rule: '', stands: false },
      unsent: 0,
      items: [],
    },
    queues: names.flatMap((name) => ['prompt', 'bulk'].map((urgency) => ({ name, urgency, ...counts }))),
    events: { unrouted: 0, quarantined: 0, conflicts: 0 },
    jobs: JOB_NAMES.map((name) => ({ name, lastSucceededAt: 1.7e12, failures: 0 })),
    ...{ refused: {}, connections: 1, eventLoop: { p50Ms: 1, p99Ms: 1, maxMs: 1 } },
    timings: {
      accept: values,
      destinations: names.map((destination) => ({ destination, attempts: values, deliveries: values, outcomes })),
    },
  }
  const times = Array.from({ length: 20 }, () => {
    const begun = performance.now()
    expect(metricsText(metricsOf(measured), 'openmetrics').length).toBeLessThan(200_000)
    return performance.now() - begun
  })
  expect(Math.min(...times)).toBeLessThan(5)
})

test.each([
  ['without its end', 'a 1\n'],
  ['a sample before its type', 'a 1\n# EOF\n'],
  ['a counter without _total', '# TYPE a counter\na 1\n# EOF\n'],
  ['a quote in the help', '# HELP a "b"\n# TYPE a gauge\na 1\n# EOF\n'],
  ['a series twice', '# TYPE a gauge\na 1\na 2\n# EOF\n'],
  [
    'a histogram that falls',
    '# TYPE a histogram\na_bucket{le="1.0"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n# EOF\n',
  ],
])('the reader of the grammar refuses %s', (_, text) => {
  expect(() => readOpenMetrics(text)).toThrow()
})

test.skipIf(NO_PROMETHEUS)(
  'a real Prometheus scrapes the hub, takes the rules, and finds something by every query of the rules and the dashboard',
  { timeout: 120_000 },
  async () => {
    await using folder = await createFolder()
    await using busy = await startBusy()
    const port = await freePort()
    const file = join(folder.path, 'prometheus.yml')
    await writeFile(
      file,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [join(process.cwd(), RULES)],
        scrape_configs: [
          {
            job_name: 'tillbridge',
            authorization: { credentials: busy.key },
            static_configs: [{ targets: [new URL(busy.hub.url).host] }],
          },
        ],
      }),
    )
    const options = [`--config.file=${file}`, `--storage.tsdb.path=${folder.path}/data`]
    const prometheus = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
    const ended = once(prometheus, 'exit')
    try {
      const ask = async (path: string) => {
        const { body } = await request(`http://127.0.0.1:${port}/api/v1/${path}`)
        return (await body.json()) as { status: string; error?: string; data: { result: unknown[]; groups: Group[] } }
      }
      const empty = async () => {
        const answers = await Promise.all(
          queries().map(async (query) => {
            const { status, error, data } = await ask(`query?${new URLSearchParams({ query })}`)
            return status === 'success' && data.result.length > 0 ? [] : [`${query}: ${error ?? 'nothing'}`]
          }),
        )
        return answers.flat()
      }
      await eventually(async () => expect(await empty()).toEqual([]), 60_000)
      const { groups } = (await ask('rules')).data
      expect(groups.flatMap(({ rules }) => rules.map(({ health }) => health))).toEqual(Array(5).fill('ok'))
    } finally {
      prometheus.kill()
      await ended
    }
  },
)

interface Group {
  rules: { health: string }[]
}
