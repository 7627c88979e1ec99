import { connect } from 'node:net'
import type { Dice } from './dice.ts'
import type { Fuzzed } from './framing.ts'

/** How a conversation ends, once all was sent. */
type Ending = 'waits' | 'half-closes' | 'resets'

/** Several requests on one connection, behind each other. */
export interface Conversation {
  requests: Fuzzed[]
  /** Where it breaks off; all bytes: it does not. */
  sent: Buffer
  ending: Ending
}

/** One answer, in the order in which they came. */
export interface Answer {
  status: number
  body: string
}

/** Who asked what HTTP says is a request waits so long for its answer, and so long for what may come else (milliseconds). */
const TIMEOUT_MS = 10_000
const QUIET = 50

/** Decides how requests are sent. */
export function conversationOf(dice: Dice, requests: Fuzzed[]): Conversation {
  const all = Buffer.concat(requests.map(({ bytes }) => bytes))
  const ending = dice.pick<Ending>(['waits', 'waits', 'waits', 'half-closes', 'resets'])
  return { requests, sent: ending === 'resets' ? all.subarray(0, dice.upTo(all.byteLength + 1)) : all, ending }
}

/** Has it, and refunds all that was answered. Rejects where nobody listens any more. */
export function converse(port: number, { requests, sent, ending }: Conversation): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    let text = ''
    let quiet: NodeJS.Timeout | null = null
    const sure = requests.findIndex(({ isSound }) => !isSound)
    const wait = () => {
      const isPending = ending !== 'resets' && answersIn(text).length < (sure < 0 ? requests.length : sure)
      if (quiet) clearTimeout(quiet)
      quiet = setTimeout(() => socket.destroy(), isPending ? TIMEOUT_MS : QUIET)
    }
    socket.on('connect', () => {
      wait()
      if (ending === 'half-closes') socket.end(sent)
      else if (ending === 'waits') socket.write(sent)
      else socket.write(sent, () => socket.resetAndDestroy())
    })
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (answersIn(text).length >= requests.length && text.endsWith('}')) socket.destroy()
      else wait()
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error)
    })
    socket.on('close', () => {
      if (quiet) clearTimeout(quiet)
      resolve(answersIn(text))
    })
  })
}

/** No body of the hub holds a status line. */
function answersIn(text: string): Answer[] {
  return text
    .split(/HTTP\/1\.1 (?=\d{3} )/)
    .slice(1)
    .map((answer) => ({ status: Number(answer.slice(0, 3)), body: answer.slice(answer.indexOf('\r\n\r\n') + 4) }))
    .filter(({ status }) => status >= 200)
}
