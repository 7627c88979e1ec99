import type { Socket } from 'node:net'

/** What one fast line carries; loopback alone would give strangers all of the machine (bytes a second). */
const LINE = 200_000_000
const TICK_MS = 5
const ROOM = (LINE * TICK_MS) / 1_000

/** Sends what is large, a piece a turn for each connection. */
export interface Pour extends Disposable {
  pour(socket: Socket, pieces: readonly Buffer[]): void
}

/** The buffers are sent as they are, and kept once however often they are sent. */
export function createPour(): Pour {
  const flows: { socket: Socket; rest: Buffer[] }[] = []
  const timer = setInterval(flow, TICK_MS)

  function flow(): void {
    let room = ROOM
    for (let turns = flows.length; turns > 0 && room > 0; turns--) {
      const one = flows.shift()
      if (!one || one.socket.destroyed) continue
      if (one.socket.writableLength === 0) room -= send(one, room)
      if (one.rest.length > 0) flows.push(one)
    }
  }

  return {
    pour(socket, pieces) {
      const one = { socket, rest: [...pieces] }
      const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
      // What is small does not wait for its turn.
      if (size < 64_000) send(one, size)
      else flows.push(one)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** How much was sent. */
function send({ socket, rest }: { socket: Socket; rest: Buffer[] }, room: number): number {
  let sent = 0
  while (rest.length > 0 && sent < room) {
    const piece = rest.shift() ?? Buffer.alloc(0)
    const now = piece.subarray(0, room - sent)
    socket.write(now)
    sent += now.byteLength
    if (now.byteLength < piece.byteLength) rest.unshift(piece.subarray(now.byteLength))
  }
  return sent
}
