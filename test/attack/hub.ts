import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HubProcess, startHub } from '../../bench/hub-process.ts'
import { openReceiver } from '../../bench/wire/receiver.ts'
import { openSteadyDisk } from './steady-disk.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Fewer descriptors than crowds have connections, as systems give them by default. */
const DESCRIPTORS = ['sh', '-c', 'ulimit -n 2048 && exec "$@"', 'sh']

/** Where nobody listens. */
const CLOSED = '127.0.0.1:9'

export interface AttackedHub extends HubProcess {
  /** The SQLite file. */
  file: string
}

/**
 * The program as `npm start` starts it, with one destination of each sort that hostile payloads can reach: a bus, a shop with
 * webhooks of its own, files, and mail. `through`: as in HubSetup.
 */
export async function startAttackedHub(through: readonly string[] = []): Promise<AttackedHub> {
  await using opened = new AsyncDisposableStack()
  const { path: within } = opened.use(openSteadyDisk())
  const folder = mkdtempSync(join(within, 'erp-'))
  const sink = opened.use(await openReceiver())
  const hub = opened.use(
    await startHub(
      { main: MAIN, postgres: null },
      {
        destinations: { bus: { port: sink.port, publish: ['SaleCreated', 'POSSettlementCreated'] } },
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: placeholders that the hub fills
        others: {
          shop: {
            adapter: 'woocommerce',
            url: `http://${CLOSED}`,
            consumerKey: '${POS_TOKEN}',
            consumerSecret: '${POS_TOKEN}',
            webhookSecret: '${BUS_SECRET}',
            poll: false,
          },
          erp: { adapter: 'files', folder, write: { sale: {}, settlement: {} } },
          mail: { adapter: 'smtp', url: '${MAIL_URL}', from: 'Shop <no-reply@example.com>' },
        },
        lookups: { customers: { tokens: ['${POS_TOKEN}'], ask: ['directory'], perMinute: 100_000 } },
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: placeholders that the hub fills
        env: { MAIL_URL: `smtp://${CLOSED}` },
        through: [...through, ...DESCRIPTORS],
        within,
      },
    ),
  )
  const open = opened.move()
  return { ...hub, file: hub.storeUrl.slice('file:'.length), [Symbol.asyncDispose]: () => open.disposeAsync() }
}
