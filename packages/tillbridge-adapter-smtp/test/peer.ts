import { createServer, type Socket } from 'node:net'
import {
  type Call,
  createWatch,
  type Peer,
  type Situation,
  servePeer,
  type Transport,
} from '../../../test/adapters/peer.ts'

/** The moments of an SMTP session at which the peer can be told to do something. */
type Stage = 'greeting' | 'auth' | 'mail' | 'rcpt' | 'data' | 'message'

/** What the SMTP peer does at one stage: a reply, to which it adds all it was told, or a way to fail. */
export type SmtpScript =
  | { at: Stage; reply: string }
  | { at: Stage; do: 'inactivity' | 'close' | 'reset' | 'half' | 'endless' }
  | { at: Stage; after: number }
  | 'accept'

const GOOD: Record<Stage, string> = {
  greeting: '220 peer ready',
  auth: '235 2.7.0 welcome',
  mail: '250 2.1.0 sender ok',
  rcpt: '250 2.1.5 recipient ok',
  data: '354 go on',
  message: '250 2.0.0 queued',
}

/** A scriptable SMTP server on loopback, written from RFC 5321. A call is a mail, or the refusal that ended one. */
export async function startSmtpPeer(): Promise<Peer<SmtpScript>> {
  const watch = createWatch()
  const calls: Call[] = []
  let script: SmtpScript = 'accept'

  const server = createServer((socket) => {
    converse(
      socket,
      () => script,
      (call) => {
        calls.push(call)
        watch.changed()
      },
    )
  })
  const play = (next: SmtpScript) => {
    script = next
  }
  return await servePeer(server, 'smtp', { calls, play, watch })
}

const refusals: { at: Stage; codes: string[]; expected: Situation<SmtpScript>['expected'] }[] = [
  {
    at: 'rcpt',
    codes: ['550 5.1.1', '551', '553 5.1.3', '554 5.7.1', '550-5.1.1 gone\r\n550 5.1.1'],
    expected: 'permanent',
  },
  { at: 'rcpt', codes: ['450 4.2.1', '451 4.7.1', '452 4.2.2', '503'], expected: 'item' },
  { at: 'rcpt', codes: ['421 4.3.2', '530 5.7.0'], expected: 'destination' },
  { at: 'data', codes: ['554 5.5.1'], expected: 'permanent' },
  { at: 'data', codes: ['451 4.3.0'], expected: 'item' },
  { at: 'data', codes: ['421 4.3.2'], expected: 'destination' },
  { at: 'message', codes: ['552 5.3.4', '554 5.6.0', '550 5.7.1'], expected: 'permanent' },
  { at: 'message', codes: ['451 4.3.0', '452 4.3.1'], expected: 'item' },
  { at: 'message', codes: ['421 4.3.2'], expected: 'destination' },
  { at: 'mail', codes: ['552 5.3.4'], expected: 'permanent' },
  { at: 'mail', codes: ['550 5.7.1', '553 5.1.8', '530 5.7.0', '451 4.3.2', '421 4.3.2'], expected: 'destination' },
  { at: 'auth', codes: ['535 5.7.8', '534 5.7.9', '454 4.7.0', '421 4.7.0'], expected: 'destination' },
  { at: 'greeting', codes: ['554 5.3.2', '421 4.3.2'], expected: 'destination' },
]

const answers: Situation<SmtpScript>[] = refusals.flatMap(({ at, codes, expected }) =>
  codes.map((reply) => ({ name: `answers ${JSON.stringify(reply)} to ${at}`, script: { at, reply }, expected })),
)

const failures: Situation<SmtpScript>[] = [
  { name: 'takes the mail', script: 'accept', expected: 'delivered' },
  {
    name: 'takes the mail in many words',
    script: { at: 'message', reply: '250-well\r\n250 ok' },
    expected: 'delivered',
  },
  ...(['greeting', 'auth', 'mail', 'data'] as const).flatMap((at): Situation<SmtpScript>[] => [
    { name: `says nothing to ${at}`, script: { at, do: 'inactivity' }, expected: 'destination', timeout: 150 },
    { name: `closes the connection at ${at}`, script: { at, do: 'close' }, expected: 'destination' },
    { name: `resets the connection at ${at}`, script: { at, do: 'reset' }, expected: 'destination' },
  ]),
  { name: 'says nothing to the mail', script: { at: 'message', do: 'inactivity' }, expected: 'unknown', timeout: 150 },
  { name: 'closes the connection after the mail', script: { at: 'message', do: 'close' }, expected: 'unknown' },
  { name: 'resets the connection after the mail', script: { at: 'message', do: 'reset' }, expected: 'unknown' },
  { name: 'breaks off within its answer to the mail', script: { at: 'message', do: 'half' }, expected: 'unknown' },
  { name: 'answers the mail without end', script: { at: 'message', do: 'endless' }, expected: 'unknown' },
  {
    name: 'answers the mail with what is not SMTP',
    script: { at: 'message', reply: 'well then' },
    expected: 'unknown',
  },
  { name: 'greets with what is not SMTP', script: { at: 'greeting', reply: 'HTTP/1.1 400' }, expected: 'destination' },
]

export const smtpTransport: Transport<SmtpScript> = {
  start: startSmtpPeer,
  accept: 'accept',
  inactivity: { at: 'message', do: 'inactivity' },
  situations: [...failures, ...answers],
  unreachable: [
    { name: 'nobody listens', address: 'smtp://127.0.0.1:1' },
    { name: 'the name does not exist', address: 'smtp://nowhere.invalid' },
  ],
}

function converse(socket: Socket, script: () => SmtpScript, ended: (call: Call) => void): void {
  const reported: string[] = []
  let buffered = ''
  let inMessage = false
  /** The sender or the recipient was refused: commands sent ahead (RFC 2920) are refused as well. */
  let refused = false

  function answer(stage: Stage, body = ''): void {
    const now = script()
    const hit = now !== 'accept' && now.at === stage
    if (hit || stage === 'message') ended({ line: stage, headers: headersOf(body), body: Buffer.from(body, 'latin1') })
    if (!hit) socket.write(`${GOOD[stage]}\r\n`)
    else if ('after' in now) setTimeout(() => socket.write(`${GOOD[stage]}\r\n`), now.after)
    else if ('reply' in now) socket.write(`${now.reply} ${reported.join(' ').replace(/\s+/g, ' ')}\r\n`)
    else fail(now.do)
    const isGood = !hit || 'after' in now
    inMessage = stage === 'data' && isGood
    refused = !isGood && stage !== 'message'
  }

  function fail(how: 'inactivity' | 'close' | 'reset' | 'half' | 'endless'): void {
    if (how === 'close') socket.end()
    else if (how === 'reset') socket.resetAndDestroy()
    else if (how === 'half') socket.end(`250-${reported.join(' ').replace(/\s+/g, ' ').slice(0, 200)}\r\n25`)
    else if (how === 'endless') pour(socket)
  }

  function command(line: string): void {
    reported.push(line)
    const [verb = ''] = line.toUpperCase().split(/[ :]/, 1)
    if (verb === 'EHLO')
      socket.write('250-peer\r\n250-PIPELINING\r\n250-AUTH PLAIN LOGIN\r\n250 ENHANCEDSTATUSCODES\r\n')
    else if (verb === 'RSET') erase()
    else if (verb === 'QUIT') socket.end('221 2.0.0 bye\r\n')
    else if (refused) socket.write('503 5.5.1 no valid recipients\r\n')
    else if (STAGES[verb]) answer(STAGES[verb])
    else socket.write('502 5.5.1 no such command\r\n')
  }

  function erase(): void {
    refused = false
    socket.write('250 2.0.0 erased\r\n')
  }

  socket.setEncoding('latin1').on('data', (chunk: string) => {
    buffered += chunk
    for (;;) {
      const end = buffered.indexOf(inMessage ? '\r\n.\r\n' : '\r\n')
      if (end === -1) return
      const text = buffered.slice(0, end)
      buffered = buffered.slice(end + (inMessage ? 5 : 2))
      if (!inMessage) command(text)
      else {
        reported.push(text.slice(0, 500))
        answer('message', text)
      }
    }
  })
  answer('greeting')
}

const STAGES: Record<string, Stage> = { AUTH: 'auth', MAIL: 'mail', RCPT: 'rcpt', DATA: 'data' }

function headersOf(message: string): Record<string, string> {
  const [head = ''] = message.split('\r\n\r\n', 1)
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]))
}

function pour(socket: Socket): void {
  const bucket = `250-${'x'.repeat(16_000)}\r\n`
  while (!socket.destroyed && socket.write(bucket));
  if (!socket.destroyed) socket.once('drain', () => pour(socket))
}
