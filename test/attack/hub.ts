import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HubProcess, startHub } from '../../bench/hub-process.ts'
import { openReceiver } from '../../bench/wire/receiver.ts'

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

/** Files in memory, where the system has such. */
const MEMORY = '/dev/shm'
/** What attacks may write in all (bytes), and what must be free for it. */
const SIZE = 8 * 1024 ** 3
const ROOM = 4 * 1024 ** 3

/** A folder on a disk that nobody else uses. */
interface SteadyDisk extends Disposable {
  path: string
}

/**
 * A disk that others use stands still for half a second now and then, with no attack at all; so the disk of an attacked hub is a
 * file in memory, with a file system of its own: what is written to it counts as nobody's memory, as on a disk. Where this user
 * may not mount one, it is a folder of the system's for temporary files, and what is late may be the disk.
 */
function openSteadyDisk(): SteadyDisk {
  return mountInMemory() ?? ownFolder(tmpdir())
}

function ownFolder(within: string): SteadyDisk {
  const path = mkdtempSync(join(within, 'tillbridge-attack-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

function mountInMemory(): SteadyDisk | null {
  if (roomIn(MEMORY) < ROOM) return null
  const image = ownFolder(MEMORY)
  const place = ownFolder(tmpdir())
  const end = () => {
    place[Symbol.dispose]()
    image[Symbol.dispose]()
  }
  try {
    const file = join(image.path, 'disk')
    const made = openSync(file, 'w')
    ftruncateSync(made, SIZE)
    closeSync(made)
    run('mkfs.ext4', '-q', '-F', file)
    run('mount', '-o', 'loop', file, place.path)
  } catch {
    end()
    return null
  }
  return {
    path: place.path,
    [Symbol.dispose]() {
      run('umount', '-l', place.path)
      end()
    },
  }
}

/** Bytes that are free; 0: there is no such folder. */
function roomIn(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return 0
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' })
}
