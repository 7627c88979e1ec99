import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { readAddress } from '../../../src/storage/postgres/server/address.ts'
import { prepared } from '../../../src/storage/postgres/server/database.ts'
import { createConnections, createPool } from '../../../src/storage/postgres/server/pool.ts'

/** A message of PostgreSQL's protocol to its clients. */
function message(type: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : Buffer.from(part))),
  )
  const head = Buffer.from([type.charCodeAt(0), 0, 0, 0, 0])
  head.writeInt32BE(body.byteLength + 4, 1)
  return Buffer.concat([head, body])
}

const WELCOME = Buffer.concat([message('R', [0, 0, 0, 0]), message('Z', [0x49])])
const ENDED = message('E', 'SFATAL', 'C57P01', 'Mterminating connection due to administrator command', [0])

test('When a server ends a session in the breath in which it opened it, then the storage is away, and the hub lives', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.concat([WELCOME, ENDED])))
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  using _ = { [Symbol.dispose]: () => server.close() }
  await once(server, 'listening')
  const address = readAddress(`postgres://hub@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`)
  await using db = createPool(createConnections(address, 1), address)

  await expect(db.query(prepared('select 1'))).rejects.toMatchObject({ name: 'StorageUnavailableError' })
})
