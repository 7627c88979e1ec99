import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { ALARM_RULES } from '../../../src/domain/alarms/rules.ts'
import { SCOPES } from '../../../src/domain/scope.ts'
import { type AttackedHub, startAttackedHub } from '../hub.ts'
import { type Answer, type Conversation, conversationOf, converse } from './conversation.ts'
import { createDice, type Dice } from './dice.ts'
import { type Fuzzed, frame } from './framing.ts'
import type { Known } from './known.ts'
import { targetOf } from './targets.ts'

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

/** Connections at a time. */
const TOGETHER = 32

interface Fuzzing {
  sent: number
  promises: Promises
}

/** Sends so many requests that a seed makes, right ones and wrong ones. Rejects when the hub does not listen any more. */
async function fuzz(hub: AttackedHub, count: number, seed: number): Promise<Fuzzing> {
  const dice = createDice(seed)
  const promises = createPromises()
  const { WEBHOOK_TOKEN, ADMIN_TOKEN, POS_TOKEN, BUS_SECRET } = hub.secrets
  const known: Known = {
    webhookToken: WEBHOOK_TOKEN,
    adminToken: ADMIN_TOKEN,
    posToken: POS_TOKEN,
    intakeSecret: BUS_SECRET,
    apiKey: await hub.createKey('oms', [...SCOPES]),
  }
  let sent = 0
  await Promise.all(Array.from({ length: TOGETHER }, talkOn))
  return { sent, promises }

  async function talkOn(): Promise<void> {
    while (sent < count) {
      const length = dice.oneIn(3) ? 2 + dice.upTo(19) : 1
      const lies = dice.oneIn(2)
      const requests = Array.from({ length }, () => requestOf(dice, known, lies))
      sent += requests.length
      const conversation = conversationOf(dice, requests)
      promises.note(conversation, await converse(hub.port, conversation))
    }
  }
}

/** Behind a lie nothing is a request any more: so not everybody lies. */
function requestOf(dice: Dice, known: Known, lies: boolean): Fuzzed {
  const right = frame(dice, targetOf(dice, known))
  return lies && dice.oneIn(2) ? lie(dice, right) : right
}

/** What the hub said that it has taken. */
interface Promises {
  /** Notes what a conversation was answered. */
  note(conversation: Conversation, answers: readonly Answer[]): void
  readonly statuses: Record<string, number>
  /** Of what kinds, and how many. */
  counts(): { events: number; bodies: number; submissions: number }
  /** What is not in the file, or there with other bytes. */
  broken(file: string): string[]
}

const EVENT = /^\{"status":"(\w+)","id":(\d+)\}$/
const INTAKE = /^\{"status":"\w+","ids":\[([\d,]*)\]\}$/
const SUBMISSION = /^\{.*"id":(\d+).*"lines":/

function createPromises(): Promises {
  const events = new Set<number>()
  const submissions = new Set<number>()
  const bodies = new Map<number, Buffer>()
  const statuses: Record<string, number> = {}

  return {
    statuses,
    note({ requests, ending }, answers) {
      answers.forEach(({ status, body }, nth) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status !== 200 && status !== 202) return
        const [, verdict, id = ''] = EVENT.exec(body) ?? []
        for (const one of [id, ...(INTAKE.exec(body)?.[1] ?? '').split(',')]) if (one !== '') events.add(Number(one))
        const submission = SUBMISSION.exec(body)?.[1]
        if (submission !== undefined) submissions.add(Number(submission))
        // As long as all before it were whole, the answers are to the requests in their order.
        const isTold = requests.slice(0, nth + 1).every(({ isSound }) => isSound) && ending !== 'resets'
        const kept = requests[nth]?.kept
        if (isTold && kept && (verdict === 'accepted' || verdict === 'quarantined')) bodies.set(Number(id), kept)
      })
    },
    counts: () => ({ events: events.size, bodies: bodies.size, submissions: submissions.size }),
    broken(file) {
      const db = new Database(file, { readonly: true })
      const bodyOf = db.prepare<[number], Buffer>('select body from payloads where event_id = ?').pluck()
      const submission = db.prepare<[number], number>('select id from submissions where id = ?').pluck()
      const lost = [...events].filter((id) => bodyOf.get(id) === undefined).map((id) => `event ${id} is not there`)
      const others = [...bodies].filter(([id, body]) => !bodyOf.get(id)?.equals(body))
      const gone = [...submissions].filter((id) => submission.get(id) === undefined)
      db.close()
      return [
        ...lost,
        ...others.map(([id]) => `event ${id} has other bytes`),
        ...gone.map((id) => `submission ${id} is not there`),
      ]
    },
  }
}

/** Makes of a request something that is none, or two at a time. */
function lie(dice: Dice, { bytes }: Fuzzed): Fuzzed {
  const text = bytes.toString('latin1')
  return { bytes: dice.pick(LIES)(dice, bytes, text), isSound: false, kept: null }
}

type Lie = (dice: Dice, bytes: Buffer, text: string) => Buffer

const LENGTHS = ['-1', '0', '1', '+5', '0x10', '5, 5', '5, 6', '99999999999999999999', '1e3', ' ', 'a'] as const

const TRANSFER = [
  'chunked, chunked',
  'identity',
  'chunked, identity',
  'xchunked',
  ' chunked ',
  'CHUNKED',
  'gzip, chunked',
  '\tchunked',
  'chunked\r\ntransfer-encoding: x',
] as const

const CHUNKS = [
  'zz',
  '-1',
  'ffffffffffffffff',
  '5;',
  '5 ',
  '+5',
  '0x5',
  `5;${'a'.repeat(20_000)}`,
  '00000000000000000005',
  '',
] as const

const FIRST_LINES = [
  'post /x HTTP/1.1',
  'POST  /x HTTP/1.1',
  'POST /x',
  'POST /x HTTP/0.9',
  'POST /x HTTP/1.0',
  'POST /x HTTP/2.0',
  'PRI * HTTP/2.0',
  'POST http://other/webhooks/X HTTP/1.1',
  'CONNECT hub:443 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'POST\t/x\tHTTP/1.1',
  'GET /a b HTTP/1.1',
  '',
  '\r\n\r\n\r\nGET / HTTP/1.1',
  `${'A'.repeat(5_000)} / HTTP/1.1`,
  `GET /${'a'.repeat(30_000)} HTTP/1.1`,
] as const

const LIES: readonly [Lie, ...Lie[]] = [
  /** Bytes in between are others. */
  (dice, bytes) => {
    const changed = Buffer.from(bytes)
    for (let left = 1 + dice.upTo(10); left > 0; left--) changed[dice.upTo(changed.byteLength)] = dice.upTo(256)
    return changed
  },
  (dice, bytes) => bytes.subarray(0, dice.upTo(bytes.byteLength)),
  (dice, _, text) => latin(text.replace(/\r\n\r\n/, `\r\nx: ${dice.bytes(dice.upTo(100)).toString('latin1')}\r\n\r\n`)),
  (dice, _, text) => withHeader(text, `content-length: ${dice.pick(LENGTHS)}`),
  (dice, _, text) => withHeader(text, `content-length: ${dice.pick(LENGTHS)}\r\ncontent-length: ${dice.pick(LENGTHS)}`),
  (dice, _, text) => withHeader(text, `transfer-encoding: ${dice.pick(TRANSFER)}`),
  (dice, _, text) =>
    withHeader(text, `transfer-encoding: ${dice.pick(TRANSFER)}\r\ncontent-length: ${dice.pick(LENGTHS)}`),
  (dice, _, text) => latin(text.replace(/\r\n[0-9a-f]+(;[^\r]*)?\r\n/, `\r\n${dice.pick(CHUNKS)}\r\n`)),
  (dice, _, text) => latin(text.replace(/^[^\r]*/, dice.pick(FIRST_LINES))),
  (_, __, text) => latin(text.replaceAll('\r\n', '\n')),
  (dice, _, text) => withHeader(text, `x: ${'a'.repeat(1_000 + dice.upTo(30_000))}`),
  (dice, _, text) =>
    withHeader(text, Array.from({ length: 10 + dice.upTo(3_000) }, (_, nth) => `x${nth}: 1`).join('\r\n')),
  (dice, _, text) =>
    withHeader(
      text,
      dice.pick([
        'expect: 200-ok',
        'connection: \u0001',
        'host: a\r\nhost: b',
        ': empty',
        'no colon',
        ' folded',
        'te: trailers, x',
      ]),
    ),
  (dice, bytes) => Buffer.concat([bytes, dice.bytes(1 + dice.upTo(50))]),
  (dice) => dice.bytes(1 + dice.upTo(2_000)),
]

function withHeader(text: string, header: string): Buffer {
  return latin(text.replace('\r\n', `\r\n${header}\r\n`))
}

function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
