import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { defineAdapter } from '../../src/adapters/adapter.ts'
import type { Effect } from '../../src/ports/ports.ts'

/**
 * Writes what it did into the file `done`, in order. Articles that begin with `wait` wait for the file `go`; over `poison`
 * it never comes to an end and lets nobody else have a turn: at once, or once it has waited (`wait-poison`). Over `deadly` the process dies.
 */
export default defineAdapter({
  name: 'stalling',
  options: z.strictObject({ folder: z.string() }),
  create({ folder }) {
    async function execute(movementId: number, gtin: string): Promise<Effect> {
      while (gtin.startsWith('wait') && !existsSync(join(folder, 'go'))) await pause(10)
      if (gtin === 'deadly') process.kill(process.pid, 'SIGKILL')
      if (gtin.endsWith('poison')) {
        appendFileSync(join(folder, 'begun'), '.')
        for (;;);
      }
      appendFileSync(join(folder, 'done'), `${movementId}\n`)
      return {}
    }

    return {
      ports: {
        publish: {
          publish({ body }) {
            const { movementId, gtin } = JSON.parse(Buffer.from(body).toString())
            return execute(movementId, gtin)
          },
        },
      },
      [Symbol.asyncDispose]: async () => {},
    }
  },
})
