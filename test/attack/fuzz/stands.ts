import { expect } from 'vitest'
import { ALARM_RULES } from '../../../src/domain/alarms/rules.ts'
import { type AttackedHub, startAttackedHub } from '../hub.ts'
import { fuzz } from './fuzz.ts'

/** What the log says of what is not taken, of what cannot be acted on, and of a destination that is not there. */
const KNOWN = ['event.quarantined', 'event.conflict', 'webhook.refused', 'delivery.attempted', 'destination.down']

/** Alarms that strangers' events and an absent destination raise by right: a made-up sale may need a person's word. */
const KNOWN_ALARMS: string[] = ALARM_RULES.filter(({ of }) =>
  ['event', 'queue', 'destination'].includes((of as { area?: string }).area ?? ''),
).map(({ name }) => name)

const ERROR = 50

/** `FUZZ_SEED=… npx vitest run test/attack/fuzz` sends the same again. */
export function seedOf(): number {
  return Number(process.env.FUZZ_SEED) || Math.floor(Math.random() * 2 ** 31)
}

/** Whatever is sent, the hub lives, keeps what it said it took, and fails at nothing. */
export async function expectToStand(count: number, seed: number) {
  await using hub = await startAttackedHub()
  const { sent, promises } = await fuzz(hub, count, seed)
  const { statuses } = promises
  expect(hub.isAlive()).toBe(true)
  expect(await hub.post('SaleCreated', { none: 'is strange' }), 'an honest one afterwards').toBe(true)
  expect(Object.keys(statuses).filter((status) => status >= '500' && status !== '503')).toEqual([])
  expect(promises.broken(hub.file)).toEqual([])
  expect(complaintsOf(hub)).toEqual([])
  // Who is refused everything has tried little. Of a thousand 28 become events now, and 14 are bodies that count, more or less: a
  // third of that is never missed by chance, however few are sent.
  const { events, bodies, submissions } = promises.counts()
  expect(events).toBeGreaterThan(sent / 125)
  expect(bodies).toBeGreaterThan(sent / 400)
  return { seed, sent, statuses, events, bodies, submissions, peakMb: hub.peakMb() }
}

/** Errors that are about the hub itself, and what was written beside the log. */
function complaintsOf(hub: AttackedHub): string[] {
  const lines = hub.logged().split('\n').slice(0, -1)
  return lines.filter((line) => {
    if (/^\.env not found/.test(line)) return false
    if (!line.startsWith('{')) return true
    const { level, msg, rule } = JSON.parse(line) as { level: number; msg: string; rule?: string }
    if (msg === 'alarm.began' && KNOWN_ALARMS.includes(rule ?? '')) return false
    return level >= ERROR && !KNOWN.includes(msg)
  })
}
