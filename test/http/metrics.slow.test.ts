import { spawnSync } from 'node:child_process'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { ALARM_NAMES } from '../../src/domain/alarms/rules.ts'
import { metricsText } from '../../src/http/metrics.ts'
import { eventually } from '../eventually.ts'
import { sale } from '../fixtures/payloads.ts'
import { busTo, startTestHub, type TestHub } from '../hub.ts'
import { startSink } from '../sink.ts'

/** Where it is not installed, it is not asked. */
const NO_PROMTOOL = spawnSync('promtool', ['--version']).status !== 0

/* What Prometheus reads; its rules: monitoring.slow.test.ts. */

async function scraper(hub: TestHub) {
  const { key } = (await hub.admin<{ key: string }>('keys', { system: 'prometheus', may: 'read:metrics' })).body
  return () => hub.ask('/metrics', { headers: { authorization: `Bearer ${key}` } })
}

/** A sample of the text: `name{labels} value`. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/

function samplesIn(text: string): { name: string; labels: string; value: number }[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? []
    if (name === '') throw new Error(`No sample: ${line}`)
    return { name, labels, value: Number(value) }
  })
}

test.skipIf(NO_PROMTOOL)('When Prometheus itself looks at the metrics (promtool), then it takes them', async () => {
  await using hub = await startTestHub()
  await hub.admin('jobs/alarms/run', {})
  const { text } = await (await scraper(hub))()
  const metrics = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  expect([metrics.status, metrics.stderr]).toEqual([0, ''])
})

test('When an alarm stands, then its rule is 1 and all others 0, with the queue that it is about; when it is over, 0 again', async () => {
  await using bus = await startSink()
  bus.play({ status: 400 })
  await using hub = await startTestHub({ destinations: { bus: busTo(bus.url) } })
  await hub.post('SaleCreated', sale())
  await eventually(async () => expect(await hub.hub.storage.deliveries({ state: 'dead' })).toHaveLength(1))
  await hub.admin('jobs/alarms/run', {})
  const samples = samplesIn((await (await scraper(hub))()).text)
  const active = samples.filter(({ name }) => name === 'tillbridge_alarm_active')
  expect(active).toHaveLength(ALARM_NAMES.length)
  expect(active.filter(({ value }) => value === 1)).toEqual([
    { name: 'tillbridge_alarm_active', labels: '{rule="deliveries-dead",severity="alarm"}', value: 1 },
  ])
  expect(samples).toContainEqual({
    name: 'tillbridge_deliveries',
    labels: '{destination="bus",urgency="prompt",state="dead"}',
    value: 1,
  })
})

test('When the store cannot write, then the numbers are there all the same, and say so', async () => {
  await using hub = await startTestHub()
  const scrape = await scraper(hub)
  const other = new Database(hub.file)
  other.exec('begin exclusive')
  try {
    const { status, text } = await scrape()
    expect(status).toBe(200)
    expect(samplesIn(text)).toContainEqual({
      name: 'tillbridge_findings',
      labels: '{area="store",state="problem"}',
      value: 1,
    })
  } finally {
    other.close()
  }
})

test('While the storage takes seconds to answer, a scrape says at once what it last said, and when that was', async () => {
  await using hub = await startTestHub()
  const scrape = await scraper(hub)
  const readAtIn = (text: string) =>
    samplesIn(text).find(({ name }) => name === 'tillbridge_health_timestamp_seconds')?.value
  const first = readAtIn((await scrape()).text)
  const other = new Database(hub.file)
  other.exec('begin exclusive')
  const took: number[] = []
  try {
    await eventually(async () => {
      const begun = performance.now()
      const { text } = await scrape()
      took.push(performance.now() - begun)
      expect(text).toContain('tillbridge_findings{area="store",state="problem"} 1')
      expect(readAtIn(text)).toBeGreaterThan(first ?? Infinity)
    }, 30_000)
  } finally {
    other.close()
  }
  // Waiting for that lock takes a second.
  expect(Math.max(...took)).toBeLessThan(500)
})

test('When labels hold what the format is made of, then they are escaped', () => {
  const samples = [{ labels: { reason: 'a "b"\\\nc' }, value: 1 }]
  expect(metricsText([{ name: 'm', help: 'One\ntwo', type: 'gauge', samples }])).toBe(
    '# HELP m One\\ntwo\n# TYPE m gauge\nm{reason="a \\"b\\"\\\\\\nc"} 1\n',
  )
})
