import type { Socket } from 'node:net'
import { request } from './requests.ts'
import type { Attack, Siege } from './siege.ts'

/** More than the descriptors of the hub under attack. */
const CROWD = 2_300

const BYTE = Buffer.from('x')

/** A body that never ends. */
const ENDLESS = { 'content-type': 'application/json', 'content-length': 1_000 }

function slowly(socket: Socket): void {
  const drip = setInterval(() => socket.write(BYTE), 1_000)
  socket.on('close', () => clearInterval(drip))
}

function say(socket: Socket, pieces: readonly Buffer[]): void {
  for (const piece of pieces) socket.write(piece)
}

/** What each of a crowd does on its connection, and then holds on to it. */
const MANNERS: Record<string, (socket: Socket, siege: Siege) => void> = {
  'were refused': (socket) => say(socket, request('POST', '/webhooks/SaleCreated?token=wrong', {}, Buffer.from('{}'))),
  'send nothing': () => {},
  'send half a head': (socket) => socket.write('POST /webhooks/SaleCreated?token=wrong HTTP/1.1\r\nhost: hu'),
  'send a byte of their head a second': (socket) => {
    socket.write('GET /health/live HTTP/1.1\r\nhost: hub\r\nx: ')
    slowly(socket)
  },
  'send a byte of their body a second, unknown': (socket) => {
    say(socket, request('POST', '/webhooks/SaleCreated?token=wrong', ENDLESS))
    slowly(socket)
  },
  'send a byte of their body a second to the intake': (socket) => {
    say(socket, request('POST', '/intake/shop', ENDLESS))
    slowly(socket)
  },
  'send a byte of their body a second, with the token': (socket, { hub }) => {
    say(socket, request('POST', hub.webhookPath('SaleCreated'), ENDLESS))
    slowly(socket)
  },
}

export const idleCrowds: Attack[] = Object.entries(MANNERS).map(([manner, begin]) => ({
  name: `${CROWD} connections ${manner}`,
  // Who was sent away comes back after a while: this is about connections that are held.
  run: async (siege) => siege.strangers.keepOpen(CROWD, (socket) => begin(socket, siege), 1_000),
}))

/** A crowd of all manners, as large as each of those. */
export const mixedCrowd: Attack = {
  name: `${CROWD} connections that say nothing, little or wrong are held`,
  async run(siege) {
    const manners = Object.values(MANNERS)
    let nth = 0
    siege.strangers.keepOpen(CROWD, (socket) => manners[nth++ % manners.length]?.(socket, siege), 1_000)
  },
}
