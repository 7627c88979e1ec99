import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems hand out by themselves (from 32768 on Linux): whoever listens on any free port meanwhile does not
 * get this one, and that another draws the same is as good as impossible.
 */
const LOWEST = 10_000
const HIGHEST = 32_000

/** A port of this machine that nobody listens on now, nor is likely to until whoever asked does. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    const server = createServer()
    const listens = once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.listen(port, '127.0.0.1')
    if (!(await listens)) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
